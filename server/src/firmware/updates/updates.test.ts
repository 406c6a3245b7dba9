import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  advance,
  deployed,
  getDeployment,
  getDesired,
  insertClients,
  makeRelease,
  makeTemplate,
  report,
  getUpdate,
} from '../../../test/harness/firmware.ts'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { startStandInHub } from '../../../test/harness/stand-in-hub.ts'
import { makeUser } from '../../../test/harness/users.ts'
import { pollRemoteUpdates } from './poll-remote.ts'

let platform: Platform
let releaseId: string
let deploymentTemplateId: string
beforeAll(async () => {
  platform = await startPlatform()
  releaseId = await makeRelease(platform)
  deploymentTemplateId = await makeTemplate(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const gateway = '/v1/provider-client/firmware-update'
const statusUrl = (id: string) => `${gateway}/status?providerClientId=${id}`
const cancel = (body: object, options = {}) => platform.post(`${gateway}/cancel`, body, options)
const start = (deviceIds: string[]) => deployed(platform, { releaseId, deploymentTemplateId, deviceIds })

test('status is the running update, else the newest, with the same answer of both operations', async () => {
  const [id = ''] = await insertClients(platform, 1)
  expect((await platform.get(statusUrl(id))).status).toBe(404)
  const first = await start([id])
  const second = await start([id])
  const { body } = await platform.get(statusUrl(id))
  expect(body).toMatchObject({
    deploymentId: first,
    providerClientId: id,
    kind: 'update',
    status: 'Running',
    statusValue: null,
    currentStep: 1,
    logs: [{ level: 'Info', step: 1, timestamp: expect.any(String), message: expect.any(String) }],
  })
  expect((await platform.get(`/v1/providers/mqtt/clients/${id}/firmware-update`)).body).toEqual(body)
  expect((await platform.get(`/v1/providers/other/clients/${id}/firmware-update`)).status).toBe(404)
  await report(platform, id, 'Succeeded')
  expect((await platform.get(statusUrl(id))).body).toMatchObject({
    deploymentId: second,
    status: 'Ready',
    currentStep: 0,
  })
})

test('the history of a client has its updates and rollbacks, newest first, page by page [docs/firmware#updates]', async () => {
  const [id = '', other = ''] = await insertClients(platform, 2)
  const at = `/v1/providers/mqtt/clients/${id}/firmware-updates`
  expect((await platform.get(at)).body).toEqual([])
  const second = await makeRelease(platform, { displayName: '2.0' })
  const first = await start([id, other])
  await report(platform, id, 'Succeeded')
  const next = await deployed(platform, {
    releaseId: second,
    deploymentTemplateId,
    deviceIds: [id],
    displayName: 'To 2.0',
    rollout: { waves: [100], failureThresholdPercent: 0, rollback: true },
  })
  await report(platform, id, 'Failed')
  await advance(platform, next)
  const { body } = await platform.get(at)
  expect(body).toMatchObject([
    { deploymentId: next, kind: 'rollback', releaseName: '1.0', deploymentName: 'To 2.0' },
    { deploymentId: next, kind: 'update', releaseName: '2.0', status: 'Failed', providerClientId: id },
    { deploymentId: first, kind: 'update', releaseName: '1.0', status: 'Succeeded', deploymentName: 'D' },
  ])
  expect(body[2].logs.length).toBeGreaterThan(0)
  const seen = []
  let link: string | undefined = `${at}?limit=1`
  while (link) {
    const page = await platform.get(link)
    expect(page.body).toHaveLength(1)
    seen.push(...page.body)
    link = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(body)
})

test('the history of a client that is not there, or of another provider, is not found', async () => {
  const [id = ''] = await insertClients(platform, 1)
  expect((await platform.get(`/v1/providers/other/clients/${id}/firmware-updates`)).status).toBe(404)
  expect((await platform.get('/v1/providers/mqtt/clients/absent/firmware-updates')).status).toBe(404)
  const wrong = await platform.get(`/v1/providers/mqtt/clients/${id}/firmware-updates?cursor=d3Jvbmc`)
  expect([wrong.status, wrong.body.error]).toEqual([400, 'validation_error'])
})

test('a report through ingest advances the update in the transaction that stores it', async () => {
  const { body } = await platform.post('/v1/providers', {
    id: 'an-import',
    type: 'import',
    displayName: 'I',
    organizationId: platform.organizationId,
  })
  const at = `/v1/providers/${body.id}/clients`
  await platform.post(at, { id: 'imported', displayName: 'C', organizationId: platform.organizationId })
  await start(['imported'])
  const send = (properties: object) => platform.post(`${at}/imported/reported`, properties)
  expect((await send({ other: 1 })).status).toBe(204)
  expect((await send({ firmwareStatus: { status: 'Installing' }, other: 2 })).status).toBe(204)
  expect(await getUpdate(platform, 'imported')).toMatchObject({
    status: 'Running',
    statusValue: { status: 'Installing' },
  })
  await send({ firmwareStatus: { status: 'Succeeded' } })
  // Objects are merged, so the previous keys of the object are still present.
  expect(await getUpdate(platform, 'imported')).toMatchObject({
    status: 'Succeeded',
    statusValue: { status: 'Succeeded' },
  })
  await send({ firmwareStatus: null })
  expect((await getUpdate(platform, 'imported')).status).toBe('Succeeded')
})

test('a connected device receives the update at once', async () => {
  const [id = ''] = await insertClients(platform, 1)
  const session = connectSession(platform.ctx, id, [`devices/${id}/twin/desired`])
  await start([id])
  expect(session.sent).toMatchObject([{ payload: { firmware: { release: '1.0' }, $version: 1 } }])
})

test('cancelling ends the running update, then the next in the queue; for one deployment, repetitions change nothing', async () => {
  const [id = ''] = await insertClients(platform, 1)
  expect((await cancel({ providerClientId: id })).status).toBe(404)
  const first = await start([id])
  const second = await start([id])
  const twice = await Promise.all([1, 2].map(() => cancel({ providerClientId: id, deploymentId: first })))
  expect(twice.map((answer) => [answer.status, answer.body.status])).toEqual([
    [200, 'Cancelled'],
    [200, 'Cancelled'],
  ])
  expect((await getDesired(platform, id)).firmware).toBeUndefined()
  expect(await cancel({ providerClientId: id, deploymentId: first })).toMatchObject({
    status: 200,
    body: twice[0]!.body,
  })
  expect((await platform.get(statusUrl(id))).body).toMatchObject({ deploymentId: second, status: 'Ready' })
  expect(twice[0]!.body.logs.at(-1)).toMatchObject({ level: 'Warning' })
  await advance(platform, second)
  expect((await cancel({ providerClientId: id })).body).toMatchObject({
    deploymentId: second,
    status: 'Cancelled',
  })
  await advance(platform, first)
  expect(await getDeployment(platform, first)).toMatchObject({
    status: 'Completed',
    counts: { Cancelled: 1 },
  })
})

test('an update that has ended cannot be cancelled', async () => {
  const [id = ''] = await insertClients(platform, 1)
  await start([id])
  await report(platform, id, 'Failed')
  expect((await cancel({ providerClientId: id })).status).toBe(409)
  expect((await cancel({ providerClientId: id, deploymentId: crypto.randomUUID() })).status).toBe(409)
  expect((await cancel({ providerClientId: 'a/b' })).status).toBe(400)
  expect((await cancel({})).status).toBe(400)
})

test('a record can be deleted only after its update has ended', async () => {
  const [id = ''] = await insertClients(platform, 1)
  await start([id])
  const update = await getUpdate(platform, id)
  expect((await platform.delete(`${gateway}/${update.id}`)).status).toBe(409)
  await report(platform, id, 'Succeeded')
  expect((await platform.delete(`${gateway}/${update.id}`)).status).toBe(204)
  expect((await platform.delete(`${gateway}/${update.id}`)).status).toBe(404)
  expect((await platform.get(statusUrl(id))).status).toBe(404)
})

test('without permission on the client an update can be neither read nor cancelled nor deleted', async () => {
  const [id = ''] = await insertClients(platform, 1)
  await start([id])
  const update = await getUpdate(platform, id)
  const member = (await makeUser(platform)).token
  const foreign = (await platform.makeTenant('unupdated')).token
  for (const [token, code] of [
    [member, 403],
    [foreign, 404],
  ] as const)
    for (const answer of [
      await platform.get(statusUrl(id), { token }),
      await platform.get(`/v1/providers/mqtt/clients/${id}/firmware-update`, { token }),
      await cancel({ providerClientId: id }, { token }),
      await platform.delete(`${gateway}/${update.id}`, { token }),
    ])
      expect(answer.status).toBe(code)
})

test('devices of an IoT Hub receive updates through it, and their status is polled', async () => {
  await using hub = await startStandInHub()
  const provider = {
    id: 'a-hub',
    type: 'iothub',
    displayName: 'H',
    organizationId: platform.organizationId,
    connectionString: hub.connectionString,
  }
  expect((await platform.post('/v1/providers', provider)).status).toBe(201)
  const client = { id: 'hub-device', displayName: 'D', organizationId: platform.organizationId }
  await platform.post('/v1/providers/a-hub/clients', client)
  await platform.post('/v1/providers/a-hub/clients/hub-device/provision', { options: {} })
  const id = await start(['hub-device'])
  const { twin } = hub.registered.get('hub-device')!
  expect(twin.desired).toMatchObject({ firmware: { release: '1.0' } })
  const polled = { tenantId: 'default', providerId: 'a-hub' }
  twin.reported = { firmwareStatus: 'Installing' }
  await pollRemoteUpdates(platform.ctx, polled)
  expect(await getUpdate(platform, 'hub-device')).toMatchObject({
    status: 'Running',
    statusValue: { status: 'Installing' },
  })
  twin.reported = { firmwareStatus: 'Succeeded' }
  // A round without time left leaves the rest to the next one.
  await pollRemoteUpdates(platform.ctx, polled, 0)
  expect(await getUpdate(platform, 'hub-device')).toMatchObject({ status: 'Running' })
  await pollRemoteUpdates(platform.ctx, polled)
  await advance(platform, id)
  expect(await getDeployment(platform, id)).toMatchObject({ status: 'Completed', counts: { Succeeded: 1 } })
})
