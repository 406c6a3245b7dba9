import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertActivation, insertAlarm } from '../../../test/harness/alarms.ts'
import { insertAsset, insertBinding, makePumpModel } from '../../../test/harness/assets.ts'
import {
  advance,
  deploy,
  deployed,
  getDeployment,
  getDesired,
  insertClients,
  makeRelease,
  makeTemplate,
  report,
  setConnected,
  getUpdate,
} from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { advanceDeployments } from '../tasks.ts'
import { advanceDeployment } from './advance.ts'
import { findTooManyFailures } from './find-stop-reason.ts'

let platform: Platform
let releaseId: string
let deploymentTemplateId: string
beforeAll(async () => {
  platform = await startPlatform()
  releaseId = await makeRelease(platform, { displayName: '2.0' })
  deploymentTemplateId = await makeTemplate(platform)
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

interface Update {
  providerClientId: string
  kind: string
  status: string
  wave: number
}
const listUpdates = async (id: string): Promise<Update[]> =>
  (await platform.get(`/v1/firmware/deployments/${id}/updates`)).body
const running = async (id: string, kind = 'update') =>
  (await listUpdates(id))
    .filter((update) => update.status === 'Running' && update.kind === kind)
    .map((update) => update.providerClientId)
const start = (deviceIds: string[], rollout?: object, fields = {}) =>
  deployed(platform, { releaseId, deploymentTemplateId, deviceIds, rollout, ...fields })
const reportAll = async (ids: string[], value: unknown) => {
  for (const id of ids) await report(platform, id, value)
}

test('a wave starts when all connected clients of the previous wave have ended and one has succeeded', async () => {
  const clients = await insertClients(platform, 20)
  await setConnected(platform, clients, true)
  const id = await start(clients, { waves: [5, 25, 100] })
  const [first = ''] = await running(id)
  expect(await getDeployment(platform, id)).toMatchObject({
    wave: 1,
    waves: [
      { wave: 1, Running: 1, Ready: 0 },
      { wave: 2, percent: 25, Running: 0, Ready: 4 },
      { wave: 3, percent: 100, Running: 0, Ready: 15 },
    ],
  })
  await report(platform, first, 'Succeeded')
  await advance(platform, id)
  const second = await running(id)
  expect(second).toHaveLength(4)
  await setConnected(platform, second.slice(2), false)
  await report(platform, second[0]!, 'Succeeded')
  await advance(platform, id)
  expect((await getDeployment(platform, id)).wave).toBe(2)
  await report(platform, second[1]!, 'Succeeded')
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({ wave: 3, counts: { Running: 17, Succeeded: 3 } })
  await reportAll(await running(id), 'Succeeded')
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({ status: 'Completed', counts: { Succeeded: 20 } })
})

test('a wave without connected clients waits', async () => {
  const id = await start(await insertClients(platform, 4), { waves: [50, 100] })
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({ wave: 1, counts: { Running: 2, Ready: 2 } })
})

test('the order is pseudo-random, and fixed per deployment', async () => {
  const clients = await insertClients(platform, 30)
  const waves = async (id: string) =>
    (await listUpdates(id)).filter(({ wave }) => wave === 1).map((update) => update.providerClientId)
  const one = await waves(
    (await deploy(platform, { releaseId, deviceIds: clients, rollout: { waves: [30, 100] } })).body.id,
  )
  const two = await waves(
    (await deploy(platform, { releaseId, deviceIds: clients, rollout: { waves: [30, 100] } })).body.id,
  )
  expect([one.length, two.length]).toEqual([9, 9])
  expect(one.toSorted()).not.toEqual(two.toSorted())
})

test('failures over the threshold stop the rollout, and updated clients return to the previous release', async () => {
  const clients = await insertClients(platform, 10)
  await setConnected(platform, clients, true)
  const older = await start(clients, undefined, {
    releaseId: await makeRelease(platform, { displayName: '1.9' }),
  })
  await reportAll(clients, { status: 'Succeeded', version: '1.9' })
  await advance(platform, older)
  const id = await start(clients, { waves: [50, 100], failureThresholdPercent: 20, rollback: true })
  const [a = '', b = '', ...others] = await running(id)
  await reportAll([a, b], 'Failed')
  await report(platform, others[0]!, { status: 'Succeeded', version: '2.0' })
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    status: 'Stopped',
    statusMessage: expect.stringContaining('2 of 5'),
    endedAt: null,
    counts: { Succeeded: 1, Failed: 2, Cancelled: 7 },
    rollbacks: { Running: 5 },
  })
  expect((await getDesired(platform, a)).firmware.release).toBe('1.9')
  expect((await getDesired(platform, others[2]!)).firmware.release).toBe('1.9')
  expect(await getUpdate(platform, a)).toMatchObject({
    kind: 'rollback',
    status: 'Running',
    deploymentId: id,
  })
  await reportAll(await running(id, 'rollback'), { status: 'Succeeded', version: '1.9 again' })
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    status: 'Stopped',
    endedAt: expect.any(String),
    rollbacks: { Succeeded: 5, Running: 0 },
  })
  const log = (await platform.get(`/v1/audit-log?resourceId=${id}`)).body
  expect(log[0]).toMatchObject({ action: 'stop', actorType: 'system' })
})

test('without a previous release the desired properties are restored; without those the rollback is rejected', async () => {
  const [had = '', hadNot = ''] = await insertClients(platform, 2)
  const path = `/v1/providers/mqtt/clients/${had}/properties/desired`
  await platform.put(path, { firmware: { url: 'by hand', extra: true } })
  const template = await makeTemplate(platform)
  const id = await start(
    [had, hadNot],
    { failureThresholdPercent: 0, rollback: true },
    { deploymentTemplateId: template },
  )
  await reportAll([had, hadNot], 'Failed')
  await advance(platform, id)
  expect((await getDesired(platform, had)).firmware).toEqual({ url: 'by hand', extra: true })
  expect((await getDesired(platform, hadNot)).firmware).toBeUndefined()
  expect(await getDeployment(platform, id)).toMatchObject({
    endedAt: null,
    rollbacks: { Running: 1, Rejected: 1 },
  })
  await report(platform, had, 'Succeeded')
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    endedAt: expect.any(String),
    rollbacks: { Succeeded: 1 },
  })
})

test('without rollback, running updates continue', async () => {
  const clients = await insertClients(platform, 4)
  const id = await start(clients, { waves: [50, 100], failureThresholdPercent: 10 })
  const [one = '', two = ''] = await running(id)
  await report(platform, one, 'Rejected')
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    status: 'Stopped',
    counts: { Running: 1, Cancelled: 2 },
  })
  await report(platform, two, 'Succeeded')
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    endedAt: expect.any(String),
    counts: { Succeeded: 1 },
  })
})

test('a client with an update of a later deployment is not rolled back', async () => {
  const clients = await insertClients(platform, 2)
  const id = await start(clients, { failureThresholdPercent: 0, rollback: true })
  await report(platform, clients[0]!, 'Succeeded')
  const later = await start([clients[0]!])
  expect(await getUpdate(platform, clients[0]!)).toMatchObject({ deploymentId: later, status: 'Running' })
  await report(platform, clients[1]!, 'Failed')
  await advance(platform, id)
  expect(await getUpdate(platform, clients[0]!)).toMatchObject({ deploymentId: later, status: 'Running' })
  expect((await getDeployment(platform, id)).rollbacks).toMatchObject({ Rejected: 1, Running: 0, Ready: 0 })
})

test('health alarms on updated clients stop the rollout, unless other clients have them too', async () => {
  const alarmId = await insertAlarm(platform)
  const bound = async () => {
    const clients = await insertClients(platform, 8)
    for (const client of clients) {
      await insertAsset(platform, `pump-of-${client}`)
      await insertBinding(platform, `pump-of-${client}/-/telemetry/temperature`, [`${client}/-/telemetry/t`])
    }
    await setConnected(platform, clients, true)
    return clients
  }
  const rollout = { waves: [50, 100], failureThresholdPercent: 20, healthAlarmIds: [alarmId] }
  const alarmed = async (ids: string[]) => {
    for (const client of ids) await insertActivation(platform, alarmId, `pump-of-${client}`)
    await platform.ctx.db.updateTable('alarm_statuses').set({ activated_at: new Date() }).execute()
  }

  const everywhere = await bound()
  const healthy = await start(everywhere, rollout)
  const first = await running(healthy)
  await alarmed([first[0]!, first[1]!, ...everywhere.filter((client) => !first.includes(client)).slice(0, 1)])
  await advance(platform, healthy)
  expect((await getDeployment(platform, healthy)).status).toBe('Running')

  const id = await start(await bound(), rollout)
  await alarmed((await running(id)).slice(0, 1))
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({
    status: 'Stopped',
    statusMessage: expect.stringContaining('1 of 4'),
  })
})

test('alarms that the caller may not view or that do not exist are refused', async () => {
  const deviceIds = await insertClients(platform, 1)
  const rollout = { healthAlarmIds: [crypto.randomUUID()] }
  expect((await deploy(platform, { releaseId, deviceIds, rollout })).status).toBe(404)
})

test.each([
  [0, 10, 10, undefined],
  [1, 9, 10, undefined],
  [2, 8, 10, '2 of 10'],
  [1, 0, 100, undefined],
  [1, 0, 99, '1 of 1'],
])(
  '%d failed and %d succeeded updates are compared with %d %%',
  (failed, well, failureThresholdPercent, reason) => {
    const rollout = { waves: [100], failureThresholdPercent, healthAlarmIds: [], rollback: false }
    const counts = [
      { kind: 'update' as const, wave: 1, state: 'Failed' as const, count: failed },
      { kind: 'update' as const, wave: 1, state: 'Succeeded' as const, count: well },
      { kind: 'update' as const, wave: 0, state: 'Rejected' as const, count: 100 },
      { kind: 'rollback' as const, wave: 1, state: 'Failed' as const, count: 100 },
    ]
    const found = findTooManyFailures({ rollout }, counts)
    if (reason === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(reason)
  },
)

test('after a restart every deployment that has not ended has a job again', async () => {
  const id = await start(await insertClients(platform, 1))
  const jobs = async () =>
    (await platform.ctx.pool.query('select key from graphile_worker.jobs where key like $1', [`%${id}`])).rows
  await platform.ctx.pool.query(
    'select graphile_worker.remove_job(key) from graphile_worker.jobs where key like $1',
    [`%${id}`],
  )
  expect(await jobs()).toEqual([])
  await advanceDeployments(platform.ctx)
  expect(await jobs()).toHaveLength(1)
})

test('a run without time left adds a job for the rest', async () => {
  const { body } = await deploy(platform, { deviceIds: await insertClients(platform, 2) })
  const key = `advance-deployment:${body.id}`
  const job = async () =>
    (await platform.ctx.pool.query('select queue_name from graphile_worker.jobs where key = $1', [key])).rows
  // The runs of one deployment do not overlap.
  expect(await job()).toEqual([{ queue_name: key }])
  await platform.ctx.pool.query('select graphile_worker.remove_job($1)', [key])
  await advanceDeployment(platform.ctx, body.id, 0)
  expect((await getDeployment(platform, body.id)).counts).toMatchObject({ Ready: 2, Running: 0 })
  expect(await job()).toHaveLength(1)
  await advanceDeployment(platform.ctx, body.id)
  expect((await getDeployment(platform, body.id)).counts).toMatchObject({ Ready: 0, Running: 2 })
})
