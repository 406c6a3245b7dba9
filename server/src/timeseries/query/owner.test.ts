/** The owner that an `assetId` names: an asset, a provider client, or both. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { type Platform, type RequestOptions, startPlatform } from '../../../test/harness/platform.ts'
import { storeSamples, type TestSample } from '../../../test/harness/telemetry.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
let tenantNumber: number
const now = Date.now()
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  const tenant = platform.ctx.db.selectFrom('tenants').select('number').where('id', '=', 'default')
  tenantNumber = (await tenant.executeTakeFirstOrThrow()).number
  await make('both')
})
afterAll(() => platform[Symbol.asyncDispose]())

const store = (ownerType: 'asset' | 'client', ownerId: string, ...samples: TestSample[]) =>
  storeSamples(platform.ctx, { tenantNumber, ownerType, ownerId }, samples)
const makeClient = (id: string) => platform.post('/v1/providers/mqtt/clients', { id, displayName: id })

/** An asset and a client with the same id; a signal of both has the value 1 at the asset and 2 at the client. */
async function make(id: string) {
  await insertAsset(platform, id)
  await makeClient(id)
  await store('asset', id, { name: 'shared', time: now - 1000, value: 1 })
  await store('asset', id, { name: 'of-asset', time: now - 1000, value: 10 })
  await store(
    'client',
    id,
    { name: 'shared', time: now, value: 2 },
    { name: 'shared', time: now, value: 3, componentId: 'motor' },
    { name: 'of-client', time: now, value: 20 },
  )
}

const history = async (assetId: string, fields: object = {}, options: RequestOptions = {}) => {
  const { status, body } = await platform.post(
    '/v1/timeseries/get',
    {
      assetId,
      timeseriesName: ['shared', 'of-asset', 'of-client', 'nothing'],
      searchSpanFrom: new Date(now - 60_000).toISOString(),
      searchSpanTo: new Date(now + 60_000).toISOString(),
      ...fields,
    },
    options,
  )
  return { status, body, found: status === 200 ? body.items?.map(signalValues) : undefined }
}
const signalValues = ({ signalId, items }: { signalId: string; items: { value: unknown }[] }) => [
  signalId,
  ...items.map(({ value }) => value),
]
const last = async (assetIds: (string | null)[], options: RequestOptions = {}, names = allNames) => {
  const timeseries = names.map((name) => ({ name, type: 'telemetry' }))
  const items = assetIds.map((assetId) => ({ assetId, componentId: null, timeseries }))
  const { status, body } = await platform.post('/v1/timeseries/get/last', { items }, options)
  const shape = (item: Record<string, unknown>) => [item.assetId, item.timeseriesName, item.value]
  return { status, body, found: status === 200 ? body.items.map(shape) : undefined }
}
const allNames = ['shared', 'of-asset', 'of-client']

test("an asset's signals take precedence; others are read from the client with its id", async () => {
  expect((await history('both')).found).toEqual([
    ['both/-/telemetry/shared', 1],
    ['both/motor/telemetry/shared', 3],
    ['both/-/telemetry/of-asset', 10],
    ['both/-/telemetry/of-client', 20],
    ['both/-/telemetry/nothing'],
  ])
  expect((await last(['both'])).found).toEqual([
    ['both', 'shared', 1],
    ['both', 'of-asset', 10],
    ['both', 'of-client', 20],
  ])
})

test('a caller who may view only one of them gets its signals', async () => {
  const createViewer = async (...resources: string[]) => {
    const { id, token } = await makeUser(platform)
    for (const resource of resources) await relate(platform, `${id} viewer ${resource}`)
    return { token }
  }
  const ofAsset = await createViewer('asset:both')
  expect((await history('both', {}, ofAsset)).found).toEqual([
    ['both/-/telemetry/shared', 1],
    ['both/-/telemetry/of-asset', 10],
    ['both/-/telemetry/of-client'],
    ['both/-/telemetry/nothing'],
  ])
  expect((await last(['both', null], ofAsset)).found).toEqual([
    ['both', 'shared', 1],
    ['both', 'of-asset', 10],
    ['both', 'shared', 1],
    ['both', 'of-asset', 10],
  ])
  const ofClient = await createViewer('provider_client:both')
  expect((await history('both', {}, ofClient)).found).toEqual([
    ['both/-/telemetry/shared', 2],
    ['both/motor/telemetry/shared', 3],
    ['both/-/telemetry/of-asset'],
    ['both/-/telemetry/of-client', 20],
    ['both/-/telemetry/nothing'],
  ])
  expect((await last(['both', null], ofClient)).found).toEqual([
    ['both', 'shared', 2],
    ['both', 'of-client', 20],
    ['both', 'shared', 2],
    ['both', 'of-client', 20],
  ])
  const ofNeither = await createViewer()
  for (const refused of [await history('both', {}, ofNeither), await last(['both'], ofNeither)])
    expect(refused).toMatchObject({
      status: 403,
      body: { details: { required: { permission: 'view', resourceType: 'asset', resourceId: 'both' } } },
    })
  expect((await last([null], ofNeither)).found).toEqual([])
})

test('an asset without a client and a client without an asset are both answered, also in one request', async () => {
  await insertAsset(platform, 'only-asset')
  await makeClient('only-client')
  await store('asset', 'only-asset', { name: 'alone', time: now, value: 1 })
  await store('client', 'only-client', { name: 'alone', time: now, value: 2 })
  // Series of a deleted client have no owner.
  await store('client', 'only-asset', { name: 'alone', time: now + 1, value: 3 })
  expect((await last(['only-client', 'only-asset', null], {}, ['alone'])).found).toEqual([
    ['only-client', 'alone', 2],
    ['only-asset', 'alone', 1],
    ['only-asset', 'alone', 1],
    ['only-client', 'alone', 2],
  ])
  const alone = { timeseriesName: ['alone'] }
  expect((await history('only-asset', alone)).found).toEqual([['only-asset/-/telemetry/alone', 1]])
})

test("modelid is the asset's model, and null for a client [docs/telemetry#where-clause]", async () => {
  const where = async (whereClause: string) =>
    (await history('both', { whereClause, timeseriesName: ['shared'] })).found
  const [asset, client] = [
    ['both/-/telemetry/shared', 1],
    ['both/motor/telemetry/shared', 3],
  ]
  const [noAsset, noClient] = [['both/-/telemetry/shared'], ['both/motor/telemetry/shared']]
  expect(await where(`modelid = '${pumpModel}'`)).toEqual([asset, noClient])
  expect(await where('modelid is null')).toEqual([noAsset, client])
  expect(await where(`modelid like 'dtmi:com:%' and value = 1`)).toEqual([asset, noClient])
  const aggregated = await history('both', {
    whereClause: `modelid = '${pumpModel}'`,
    timeseriesName: ['shared'],
    aggregationType: 'sum',
    aggregationInterval: 'P1Y',
  })
  expect(aggregated.found).toEqual([asset, noClient])
})

test('CSV names the asset', async () => {
  const { body } = await history(
    'both',
    { timeseriesName: ['of-asset'] },
    { headers: { accept: 'text/csv' } },
  )
  expect(body).toContain(',both,,of-asset,10')
})

test('deleted objects and those of another tenant are not found', async () => {
  await make('mortal')
  expect((await platform.delete('/v1/assets/mortal')).status).toBe(204)
  expect((await history('mortal', { timeseriesName: ['shared', 'of-asset'] })).found).toEqual([
    ['mortal/-/telemetry/shared', 2],
    ['mortal/motor/telemetry/shared', 3],
    ['mortal/-/telemetry/of-asset'],
  ])
  expect((await platform.delete('/v1/providers/mqtt/clients/mortal')).status).toBe(204)
  const { token } = await platform.makeTenant('timeless')
  for (const refused of [
    await history('mortal'),
    await last(['both', 'mortal']),
    await history('both', {}, { token }),
    await last(['both'], { token }),
  ])
    expect(refused).toMatchObject({ status: 404, body: { error: 'not_found' } })
  expect((await last([null], { token })).found).toEqual([])
  // A new client with the id has no history.
  await insertAsset(platform, 'mortal')
  expect((await history('mortal', { timeseriesName: ['of-asset'] })).found).toEqual([
    ['mortal/-/telemetry/of-asset'],
  ])
})

test('an API token reads only what its privileges allow', async () => {
  const tokenFor = async (...privileges: string[]) => ({
    token: (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges })).body.token as string,
  })
  const ofAssets = await tokenFor('asset_management')
  expect((await last(['both', null], ofAssets)).found).toEqual([
    ['both', 'shared', 1],
    ['both', 'of-asset', 10],
    ['both', 'shared', 1],
    ['both', 'of-asset', 10],
  ])
  const ofClients = await tokenFor('provider_client_management')
  expect((await last([null], ofClients, ['shared'])).found).toEqual([['both', 'shared', 2]])
  const ofOthers = await tokenFor('alarm_management')
  for (const refused of [
    await last([null], ofOthers),
    await last(['both'], ofOthers),
    await history('both', {}, ofOthers),
  ])
    expect(refused.status).toBe(403)
})

test('many ids in one request are answered and refused like few', async () => {
  const crowd = Array.from({ length: 60 }, (_, index) => `crowd-${index}`)
  for (const id of crowd) {
    await insertAsset(platform, id)
    await store('asset', id, { name: 'shared', time: now, value: 5 })
  }
  await makeClient('crowd-client')
  const answered = [...crowd.map((id) => [id, 'shared', 5]), ['both', 'shared', 1]]
  expect((await last([...crowd, 'both'], {}, ['shared'])).found).toEqual(answered)

  const manager = await makeUser(platform)
  await relate(platform, `${manager.id} asset_manager organization:${platform.organizationId}`)
  expect((await last([...crowd, 'both'], manager, ['shared'])).found).toEqual(answered)
  expect(await last([...crowd, 'crowd-client'], manager)).toMatchObject({
    status: 403,
    body: { details: { required: { resourceType: 'provider_client', resourceId: 'crowd-client' } } },
  })
  await relate(platform, `${manager.id} viewer provider_client:crowd-client`)
  expect((await last([...crowd, 'crowd-client'], manager)).status).toBe(200)

  const { id, token } = await makeUser(platform)
  for (const asset of crowd.slice(1)) await relate(platform, `${id} viewer asset:${asset}`)
  expect(await last(crowd, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceType: 'asset', resourceId: 'crowd-0' } } },
  })
  expect((await last(crowd.slice(1), { token })).status).toBe(200)
  expect((await last([...crowd, 'unknown'])).status).toBe(404)
  const stranger = await platform.makeTenant('crowdless')
  expect((await last(crowd, { token: stranger.token })).status).toBe(404)
})

test.each(['a/b', `'`, '', 'a'.repeat(129), 7])('assetId %j is refused', async (assetId) => {
  expect((await history(assetId as string)).body.error).toBe('validation_error')
  expect((await last([assetId as string])).body.error).toBe('validation_error')
})

test('several assets are read at once, and those that are missing are named', async () => {
  await make('first')
  await make('second')
  const assetIds = ['second', 'no-such-asset', 'first']
  const answer = await history('', { assetId: undefined, assetIds, timeseriesName: ['of-asset'] })
  expect(answer.found).toEqual([
    ['second/-/telemetry/of-asset', 10],
    ['first/-/telemetry/of-asset', 10],
  ])
  expect(answer.body.missing).toEqual(['no-such-asset'])
  const none = await history('', { assetId: undefined, assetIds: ['no-such-asset'] })
  expect(none.body).toMatchObject({ items: [], missing: ['no-such-asset'] })
})

test('of several assets, those of others are missing from an answer, and refused where it cannot name them', async () => {
  await make('own')
  await make('foreign')
  const viewer = await makeUser(platform)
  await relate(platform, `${viewer.id} viewer asset:own`)
  const fields = { assetId: undefined, assetIds: ['foreign', 'own'], timeseriesName: ['of-asset'] }
  const answer = await history('', fields, { token: viewer.token })
  expect([answer.found, answer.body.missing]).toEqual([[['own/-/telemetry/of-asset', 10]], ['foreign']])
  const asCsv = await history('', fields, { token: viewer.token, headers: { accept: 'text/csv' } })
  expect(asCsv.status).toBe(403)
})

test.each([
  ['no asset', {}],
  ['an asset and a list', { assetId: 'both', assetIds: ['both'] }],
  ['an empty list', { assetIds: [] }],
  ['an asset twice', { assetIds: ['both', 'both'] }],
  ['more than 100', { assetIds: Array.from({ length: 101 }, (_, index) => `a-${index}`) }],
  ['a number', { assetIds: [7] }],
])('refuses %s', async (_name, fields) => {
  expect((await history('', { assetId: undefined, ...fields })).status).toBe(400)
})
