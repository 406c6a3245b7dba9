/** Receivers accept and never answer: webhooks, mail, SMS, an IoT Hub. Deliveries to other receivers arrive meanwhile. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findLocatedClient } from '../../src/assets/bindings/located-client.ts'
import { insertDelivery } from '../../src/assets/properties/deliver.ts'
import { assetPropertyTasks } from '../../src/assets/properties/tasks.ts'
import { alarmTasks } from '../../src/alarms/tasks.ts'
import { addJob } from '../../src/jobs/add-job.ts'
import { enqueueNotifications } from '../../src/notifications/activate.ts'
import { notificationTasks } from '../../src/notifications/tasks.ts'
import { addDeliverOutboxJob, outboxTasks } from '../../src/outbox/deliver.ts'
import type { Queue } from '../../src/outbox/queue.ts'
import { providerTasks } from '../../src/providers/tasks.ts'
import { enqueueDevicesDeleted } from '../../src/providers/webhooks/enqueue.ts'
import { insertActivation, insertAlarm } from '../harness/alarms.ts'
import { insertAsset, makePumpModel } from '../harness/assets.ts'
import { startTestJobs } from '../harness/due-jobs.ts'
import { type HangingServer, startHangingServer } from '../harness/hanging-server.ts'
import { emailChannel, makeContactGroup, makeNotification } from '../harness/notifications.ts'
import { type Platform, startPlatform } from '../harness/platform.ts'
import { hang, type StandInHub, startStandInHub } from '../harness/stand-in-hub.ts'
import { makeUser, relate } from '../harness/users.ts'

const HANGING_WEBHOOKS = 6
const DEVICES = 50
const PUMPS = 20

let platform: Platform
let hanging: HangingServer
let hub: StandInHub
let other: { token: string }
let jobs: AsyncDisposable
/** Deliveries to the healthy webhooks and to the event queue. */
const arrived: string[] = []
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  arrived.push(`${request.url} ${(JSON.parse(body) as { device_id: string }).device_id}`)
  response.end()
})
const queue: Queue = {
  publish: async (messages) => void arrived.push(...messages.map(({ subject }) => `event ${subject}`)),
  [Symbol.asyncDispose]: async () => {},
}

beforeAll(async () => {
  hanging = await startHangingServer()
  hub = await startStandInHub()
  platform = await startPlatform({
    GANGWAY_OUTBOUND_ALLOW: 'loopback',
    GANGWAY_SMTP_URL: `smtp://${hanging.address}`,
    GANGWAY_MAIL_FROM: 'Gangway <gangway@example.com>',
    GANGWAY_SMS_URL: `http://${hanging.address}/`,
    GANGWAY_PUBLIC_URL: 'https://gangway.example',
  })
  other = await platform.makeTenant('other')
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterAll(async () => {
  // Hanging deliveries fail when their server ends.
  await hanging[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
  await jobs?.[Symbol.asyncDispose]()
  receiver.closeAllConnections()
  receiver.close()
  await platform[Symbol.asyncDispose]()
})

const subscribe = async (url: string, token = platform.adminToken) => {
  const answer = await platform.post('/v1/providers/mqtt/webhooks', { url, secret: 's' }, { token })
  expect(answer.status).toBe(201)
  return answer.body
}
const healthyUrl = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`
const deleteDevices = (tenantId: string, ids: string[]) =>
  platform.ctx.db
    .transaction()
    .execute((tx) => enqueueDevicesDeleted(tx, { tenantId, providerId: 'mqtt' }, ids))

async function alarmEverybody() {
  await makePumpModel(platform)
  const user = await makeUser(platform)
  await relate(platform, `${user.id} member organization:${platform.organizationId}`)
  const contactGroupId = await makeContactGroup(platform, { users: [user.id] })
  const alarmId = await insertAlarm(platform)
  await platform.patch(`/v1/users/${user.id}`, { phoneNumber: '+4915112345678' })
  const sms = { active: true, template: '{{alarmName}}', from: '' }
  const subscribers = { contactGroups: [{ contactGroupId }] }
  await makeNotification(platform, alarmId, { subscribers, channels: { ...emailChannel, sms } })
  for (let pump = 0; pump < PUMPS; pump++) {
    await insertAsset(platform, `pump-${pump}`)
    await enqueueNotifications(platform.ctx.db, [await insertActivation(platform, alarmId, `pump-${pump}`)])
  }
}

async function changeClientsOfHub() {
  const { connectionString } = hub
  const provider = { id: 'hub', type: 'iothub', displayName: 'Hub', organizationId: platform.organizationId }
  await platform.post('/v1/providers', { ...provider, connectionString })
  for (let device = 0; device < PUMPS; device++) {
    const id = `hub-${device}`
    await platform.post('/v1/providers/hub/clients', { id, displayName: id })
    const client = (await findLocatedClient(platform.ctx.db, 'default', id))!
    await insertDelivery(platform.ctx.db, { client, componentId: '' }, { setpoint: 1 })
  }
  hub.next.push(...Array(1000).fill(hang))
  hub.calls.splice(0)
  await platform.ctx.pool.query('update graphile_worker._private_jobs set run_at = now()')
}

test('deliveries to receivers that answer arrive while hundreds of others hang', async () => {
  const { ctx } = platform
  for (let webhook = 0; webhook < HANGING_WEBHOOKS; webhook++)
    await subscribe(`http://${hanging.address}/${webhook}`)
  const devices = Array.from({ length: DEVICES }, (_, device) => `device-${device}`)
  await deleteDevices('default', devices)
  await alarmEverybody()
  await changeClientsOfHub()
  let worked = false
  jobs = await startTestJobs(ctx, {
    ...outboxTasks(ctx, queue),
    ...providerTasks(ctx),
    ...notificationTasks(ctx),
    ...assetPropertyTasks(ctx),
    ...alarmTasks(ctx),
    work: async () => void (worked = true),
  })
  // Each kind hangs: webhooks one delivery each, one mail, one message by SMS, one call of the hub.
  await expect.poll(() => hanging.open()).toBeGreaterThanOrEqual(HANGING_WEBHOOKS + 2)
  await expect.poll(() => hub.calls.length).toBe(1)

  await subscribe(healthyUrl('/own'))
  await subscribe(healthyUrl('/other'), other.token)
  await deleteDevices('default', ['last'])
  await deleteDevices('other', ['last'])
  await ctx.db.insertInto('outbox').values({ subject: 'Tested', payload: '{}' }).execute()
  await addDeliverOutboxJob(ctx.db)
  await addJob(ctx.db, 'work', {})
  await expect.poll(() => arrived.toSorted()).toEqual(['/other last', '/own last', 'event Tested'])
  await expect.poll(() => worked).toBe(true)
  // These jobs have overtaken hundreds that were added before them.
  const neverTried = 'select from graphile_worker._private_jobs where attempts = 0'
  expect((await ctx.pool.query(neverTried)).rowCount).toBeGreaterThan(200)
})

test('a manager of a webhook sees that it is paused, since when, why and until when', async () => {
  const list = async (token?: string) =>
    (await platform.get('/v1/providers/mqtt/webhooks', token ? { token } : {})).body
  await expect
    .poll(async () => (await list())[0].delivery, { interval: 500 })
    .toEqual({
      state: 'paused',
      failures: expect.any(Number),
      lastError: 'did not answer in time',
      failingSince: expect.any(String),
      retryAt: expect.any(String),
    })
  expect((await list(other.token))[0].delivery).toEqual({
    state: 'ok',
    failures: 0,
    lastError: null,
    failingSince: null,
    retryAt: null,
  })
})
