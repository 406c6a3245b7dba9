import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, insertBinding, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import {
  advance,
  deploy,
  deployed,
  insertClients,
  makeRelease,
  makeTemplate,
  report,
  setConnected,
} from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

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

const askPreview = (selection: object, fields: object = {}, options = {}) =>
  platform.post(
    '/v1/firmware/deployments/preview',
    { organizationId: platform.organizationId, releaseId, deploymentTemplateId, selection, ...fields },
    options,
  )

async function preview(selection: object, fields: object = {}) {
  const { status, body } = await askPreview(selection, fields)
  if (status !== 200) throw new Error(`the preview answered ${JSON.stringify(body)}`)
  return body
}
const chosen = async (selection: object): Promise<string[]> => (await preview(selection)).deviceIds

const group = (ids: string[]) => ({ clients: ids.length, deviceIds: ids.toSorted() })

test('the preview counts what the deployment then does, and stores nothing [docs/firmware#preview]', async () => {
  const clients = await insertClients(platform, 7)
  await setConnected(platform, clients.slice(0, 5), true)
  const waves = [10, 50, 100]
  const before = (await platform.get('/v1/firmware/deployments')).body
  const body = await preview({ deviceIds: clients }, { rollout: { waves } })
  expect(body).toMatchObject({
    deviceIds: clients.toSorted(),
    unsuited: group([]),
    offline: group(clients.slice(5)),
    waiting: group([]),
    upToDate: group([]),
    releases: [{ releaseId: null, releaseName: null, clients: 7 }],
  })
  expect((await platform.get('/v1/firmware/deployments')).body).toEqual(before)
  const { body: made } = await deploy(platform, {
    releaseId,
    deploymentTemplateId,
    deviceIds: body.deviceIds,
    rollout: { waves },
  })
  expect(body.waves.map((wave: { clients: number }) => wave.clients)).toEqual(
    made.waves.map((wave: { Ready: number }) => wave.Ready),
  )
  expect((await preview({ deviceIds: clients })).waiting).toEqual(group(clients))
})

test('each condition limits the clients, and all have to hold', async () => {
  const [bound = '', tagged = '', named = '', other = ''] = await insertClients(platform, 4)
  const asset = `asset-${bound}`
  await insertAsset(platform, asset)
  await insertBinding(platform, `${asset}/-/telemetry/temperature`, [`${bound}/-/telemetry/t`])
  const { organizationId } = platform
  const node = (await platform.post('/v1/tree/nodes', { displayName: 'Hall', organizationId })).body.id
  const edge = { fromType: 'node', fromId: node, toType: 'asset', toId: asset, relation: 'CONTAINS' }
  expect((await platform.post('/v1/tree/edges', edge)).status).toBe(201)
  const template = (
    await platform.post('/v1/provider-templates', {
      displayName: 'North',
      tags: { site: ['north', 'east'] },
      organizationId,
    })
  ).body.id
  await platform.post(`/v1/providers/mqtt/clients/${tagged}/provision`, { templateId: template, options: {} })
  await platform.patch(`/v1/providers/mqtt/clients/${named}`, { displayName: 'Cellar 100%' })

  const among = { deviceIds: [bound, tagged, named, other] }
  expect(await chosen(among)).toHaveLength(4)
  expect(await chosen({ ...among, modelId: pumpModel })).toEqual([bound])
  expect(await chosen({ ...among, nodeId: node })).toEqual([bound])
  expect(await chosen({ ...among, tag: 'site=east' })).toEqual([tagged])
  expect(await chosen({ ...among, tag: 'site=west' })).toEqual([])
  expect(await chosen({ ...among, search: 'cellar 100%' })).toEqual([named])
  expect(await chosen({ ...among, providerId: 'none' })).toEqual([])
  expect(await chosen({ ...among, tag: 'site=east', nodeId: node })).toEqual([])
})

test('a group has the number of its clients and the first 1,000 ids, and the chosen ids are complete', async () => {
  await platform.ctx.pool.query(
    `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
     select 'default', 'mqtt', 'many-' || i, $1, 'many', true from generate_series(1001, 2001) i`,
    [platform.organizationId],
  )
  const { deviceIds, offline } = await preview({ search: 'many-' })
  expect(deviceIds).toHaveLength(1001)
  expect(offline).toEqual({ clients: 1001, deviceIds: deviceIds.slice(0, 1000) })
})

test('clients that no asset of a starting model has bound are counted as rejected', async () => {
  const [bound = '', unbound = ''] = await insertClients(platform, 2)
  await insertAsset(platform, `asset-${bound}`)
  await insertBinding(platform, `asset-${bound}/-/telemetry/temperature`, [`${bound}/-/telemetry/t`])
  const forPumps = await makeRelease(platform, { startingModels: [{ id: pumpModel }] })
  expect(await preview({ deviceIds: [bound, unbound] }, { releaseId: forPumps })).toMatchObject({
    unsuited: group([unbound]),
    waves: [{ wave: 1, percent: 100, clients: 1 }],
  })
})

test('clients are chosen by what is installed, and by what another deployment did to them', async () => {
  const [good = '', bad = '', never = ''] = await insertClients(platform, 3)
  const all = { deviceIds: [good, bad, never] }
  const older = await makeRelease(platform, { displayName: '1.0' })
  const first = await deployed(platform, { releaseId: older, deploymentTemplateId, deviceIds: [good, bad] })
  for (const client of [good, bad]) await report(platform, client, 'Succeeded')
  await advance(platform, first)
  const second = await deployed(platform, { releaseId, deploymentTemplateId, ...all })
  await report(platform, good, 'Succeeded')
  await report(platform, bad, 'Failed')
  await report(platform, never, 'Failed')
  await advance(platform, second)

  expect(await chosen({ ...all, firmwareReleaseId: older })).toEqual([bad])
  expect(await chosen({ ...all, firmwareReleaseId: releaseId })).toEqual([good])
  expect(await preview(all)).toMatchObject({ upToDate: group([good]) })
  expect(await chosen({ deployment: { id: second, statuses: ['Failed'] } })).toEqual([bad, never].toSorted())
  const before = (await platform.get(`/v1/firmware/deployments/${second}/previous-releases`)).body
  expect(before).toEqual([
    { releaseId: older, releaseName: '1.0', clients: 2 },
    { releaseId: null, releaseName: null, clients: 1 },
  ])
  const back = { deployment: { id: second, previousReleaseId: older } }
  expect(await chosen(back)).toEqual([bad, good].toSorted())
  await deployed(platform, { releaseId: older, deploymentTemplateId, deviceIds: [good] })
  expect(await chosen(back)).toEqual([bad])
})

test('the list of deployments is filtered, the newest first, with counts', async () => {
  const [one = '', two = ''] = await insertClients(platform, 2)
  const own = await makeRelease(platform, { displayName: '3.0' })
  const ended = await deployed(platform, { releaseId: own, deploymentTemplateId, deviceIds: [one] })
  await report(platform, one, 'Failed')
  await advance(platform, ended)
  const open = await deployed(platform, { releaseId: own, deploymentTemplateId, deviceIds: [two] })
  const list = async (query: string) =>
    (await platform.get(`/v1/firmware/deployments?releaseId=${own}${query}`)).body.map(
      ({ id }: { id: string }) => id,
    )
  expect(await list('')).toEqual([open, ended])
  expect(await list('&ended=true')).toEqual([ended])
  expect(await list('&ended=false')).toEqual([open])
  expect(await list('&failing=true')).toEqual([ended])
  expect(await list('&failing=false')).toEqual([open])
  expect(await list('&status=Running')).toEqual([open])
  const [row] = (await platform.get(`/v1/firmware/deployments?releaseId=${own}&ended=true`)).body
  expect(row).toMatchObject({ total: 1, counts: { Failed: 1, Ready: 0 } })
  const updates = async (query: string) =>
    (await platform.get(`/v1/firmware/deployments/${ended}/updates?${query}`)).body
  expect(await updates('failing=true&kind=update&wave=1&search=FW-CLIENT')).toMatchObject([
    { providerClientId: one, providerClientName: one, providerId: 'mqtt', status: 'Failed' },
  ])
  const [{ id: updateId }] = await updates('')
  expect(await updates(`updateId=${updateId}`)).toMatchObject([{ id: updateId }])
  expect(await updates(`updateId=${ended}`)).toEqual([])
  expect((await updates('updateId=first')).error).toBe('validation_error')
  for (const query of ['failing=false', 'kind=rollback', 'wave=2', 'status=Ready', 'search=nothing'])
    expect(await updates(query)).toEqual([])
})

test.each([
  ['an unknown client', { deviceIds: ['nobody'] }, {}, 400],
  ['a client twice', { deviceIds: ['a', 'a'] }, {}, 400],
  ['no ids at all', { deviceIds: [] }, {}, 400],
  ['a tag without a value', { tag: 'north' }, {}, 400],
  ['an unknown condition', { modell: 'pump' }, {}, 400],
  ['an unknown deployment', { deployment: { id: '0190b0f0-5c3e-7000-8000-000000000000' } }, {}, 404],
  ['an unknown node', { nodeId: '0190b0f0-5c3e-7000-8000-000000000000' }, {}, 404],
  ['waves that do not end with 100', {}, { rollout: { waves: [5] } }, 400],
  ['an unknown release', {}, { releaseId: '0190b0f0-5c3e-7000-8000-000000000000' }, 404],
])('%s is refused', async (_name, selection, fields, status) => {
  expect((await askPreview(selection, fields)).status).toBe(status)
})

test('the id of a release is not that of a deployment', async () => {
  expect((await askPreview({ deployment: { id: releaseId } })).status).toBe(404)
})

test('only clients of organizations are chosen where the caller manages firmware', async () => {
  const elsewhere = await makeOrganization(platform)
  const [here = ''] = await insertClients(platform, 1)
  const [there = ''] = await insertClients(platform, 1, elsewhere)
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} firmware_manager organization:${elsewhere}`)
  const own = {
    organizationId: elsewhere,
    releaseId: await makeRelease(platform, { organizationId: elsewhere, fileResourceId: null }),
    deploymentTemplateId: await makeTemplate(platform, {
      organizationId: elsewhere,
      steps: [{ name: 'firmware', type: 'SetProperty', value: '{{releaseName}}' }],
    }),
  }
  const options = { token }
  const answer = await askPreview({ search: 'fw-client' }, own, options)
  expect([answer.status, answer.body.deviceIds]).toEqual([200, [there]])
  expect((await askPreview({ deviceIds: [here] }, own, options)).status).toBe(403)
})
