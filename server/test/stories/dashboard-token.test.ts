/**
 * Calls every route with an API token that is limited to a dashboard: it reads what the dashboard shows, and everything
 * else is refused with the reason. [docs/dashboards#tokens]
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAlarm } from '../harness/alarms.ts'
import { insertAsset } from '../harness/assets.ts'
import { recordStatements } from '../harness/executed-statements.ts'
import { startPlatform, type Platform } from '../harness/platform.ts'
import { connectRealtime, sampleMaker } from '../harness/realtime.ts'
import { readTenant } from '../harness/twin-tenant.ts'
import { makeUser, relate } from '../harness/users.ts'
import { callRow, type Row } from './every-route/row.ts'
import { makeRows } from './every-route/table.ts'
import { makeEverything, type World } from './every-route/world.ts'

/** Routes that a token for a dashboard may call. */
const open = [
  'GET /v1/alarms/status',
  'GET /v1/alarms/status/history',
  'GET /v1/dashboards/{dashboardId}',
  'GET /v1/resources/download/{resourceId}',
  'GET /v1/tree',
  'POST /v1/realtime/negotiate',
  'POST /v1/timeseries/get',
]
/** Its own live connection, which does not exist here. */
const ofConnection = [
  'POST /v1/realtime/subscriptions',
  'PUT /v1/realtime/subscriptions/{subscriptionId}',
  'DELETE /v1/realtime/subscriptions/{subscriptionId}',
]
const span = { searchSpanFrom: '2026-01-01T00:00:00Z', searchSpanTo: '2026-01-02T00:00:00Z' }

let platform: Platform
let world: World
let rows: Record<string, Row>
beforeAll(async () => {
  platform = await startPlatform()
  world = await makeEverything(platform)
  Object.assign(platform.ctx.endpoints, { mqtt: 'mqtt://127.0.0.1:1', mqtts: 'mqtts://127.0.0.1:1' })
  rows = makeRows(world)
})
afterAll(() => platform[Symbol.asyncDispose]())

const position = { x: 0, y: 0, w: 4, h: 2 }
const signal = (assetId: string) => ({ assetId, name: 't' })
const board = (widgets: { kind: string; options: object }[], variables: object[] = []) => ({
  version: 1,
  widgets: widgets.map((widget, index) => ({ id: `w${index}`, position, ...widget })),
  variables,
})
const gauge = (assetId: string) => ({ kind: 'gauge', options: { signals: [signal(assetId)] } })

async function makeDashboard(data: object, token?: string): Promise<string> {
  const body = { displayName: 'Hall', organizationId: platform.organizationId, data }
  const answer = await platform.post('/v1/dashboards', body, token ? { token } : {})
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function makeToken(dashboardId: string, token?: string): Promise<string> {
  const body = { displayName: 'Screen', expiresAt: '2100-01-01T00:00:00Z' }
  const made = await platform.post(`/v1/dashboards/${dashboardId}/api-tokens`, body, token ? { token } : {})
  expect([made.status, made.body.message]).toEqual([201, undefined])
  return made.body.token
}

const showing = async (data: object) => {
  const id = await makeDashboard(data)
  return { id, token: await makeToken(id) }
}

const queryOne = (token: string, assetId: string) =>
  platform.post('/v1/timeseries/get', { assetId, timeseriesName: ['t'], ...span }, { token })
const query = async (token: string, assetId: string) => (await queryOne(token, assetId)).status
const download = async (token: string, resourceId: string) =>
  (await platform.get(`/v1/resources/download/${resourceId}`, { token })).status
const listAssetsWithAlarms = async (token: string) => {
  const { status, body } = await platform.get('/v1/alarms/status', { token })
  expect(status).toBe(200)
  return body.map(({ entityId }: { entityId: string }) => entityId).toSorted()
}

test('only the routes of its widgets are open, and nothing is changed', async () => {
  const { ids } = world
  const everything = board(
    [
      gauge(ids.client!),
      gauge(ids.asset!),
      { kind: 'image', options: { resourceId: ids.resource } },
      { kind: 'dashboard', options: { dashboardId: ids.dashboard } },
      { kind: 'table', options: { signals: [{ variable: 'place', name: 't' }] } },
      { kind: 'alarmList', options: {} },
    ],
    [{ name: 'place', kind: 'node', value: [ids.node] }],
  )
  const { token } = await showing(everything)
  const before = await readTenant(platform.ctx.db, 'default')
  const found: Record<number, string[]> = {}
  for (const [route, row] of Object.entries(rows)) {
    const { status, body } = await callRow(platform, route, row, token)
    ;(found[status] ??= []).push(route)
    if (status === 403 && route.includes(' /v1/'))
      expect(body.message).toContain('limited to what the dashboard')
  }
  const rest = Object.keys(rows).filter((route) => ![...open, ...ofConnection].includes(route))
  expect(found[200]?.toSorted()).toEqual(open)
  expect(found[404]?.toSorted()).toEqual(ofConnection.toSorted())
  expect(found[403]?.toSorted()).toEqual(rest.toSorted())
  expect(await readTenant(platform.ctx.db, 'default')).toEqual(before)
})

test('the open routes refuse what the dashboard does not show, and do not say whether it exists', async () => {
  const { token } = await showing(board([gauge('nobody')]))
  const absent = { dashboardId: crypto.randomUUID(), resourceId: crypto.randomUUID(), assetId: 'absent' }
  for (const [path, missing] of [
    [`/v1/dashboards/${world.ids.dashboard}`, `/v1/dashboards/${absent.dashboardId}`],
    [`/v1/resources/download/${world.ids.resource}`, `/v1/resources/download/${absent.resourceId}`],
    [`/v1/tree?startNodeId=${world.ids.node}`, `/v1/tree?startNodeId=${absent.dashboardId}`],
  ] as const) {
    const [answer, other] = [await platform.get(path, { token }), await platform.get(missing, { token })]
    expect([answer.status, other.status, other.body.message]).toEqual([403, 403, answer.body.message])
  }
  const live = await connectRealtime(platform, undefined, { token })
  const subscribe = (assetId: string) => {
    const body = { connectionId: live.connectionId, topic: 'telemetry', assets: [assetId] }
    return platform.post('/v1/realtime/subscriptions', body, { token })
  }
  for (const ask of [subscribe, (assetId: string) => queryOne(token, assetId)]) {
    const [answer, other] = [await ask(world.ids.client!), await ask(absent.assetId)]
    expect([answer.status, other.status, other.body.message]).toEqual([403, 403, answer.body.message])
  }
  live.socket.close()
  expect(await listAssetsWithAlarms(token)).toEqual([])
})

test('a token that is not valid costs no look at the dashboard, and a valid one reads its data once', async () => {
  const { id, token } = await showing(board([gauge('some-asset')]))
  const expired = await makeToken(id)
  await platform.ctx.pool.query(
    "update api_tokens set expires_at = now() - interval '1 minute' where id::text = $1",
    [expired.split('_')[1]!.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
  )
  expect(await query(token, 'some-asset')).toBe(200)
  using recorded = recordStatements()
  const listOfDashboards = (pattern: RegExp) => [...recorded.texts].filter((text) => pattern.test(text))
  const wrong = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  expect([await query(wrong, 'some-asset'), await query(expired, 'some-asset')]).toEqual([401, 401])
  expect(listOfDashboards(/from dashboards/)).toEqual([])
  expect(await query(token, 'some-asset')).toBe(200)
  expect(listOfDashboards(/from dashboards/)).toHaveLength(1)
  expect(listOfDashboards(/\bdata\s+from dashboards/)).toEqual([])
})

test('a token and its live connection end when its maker may no longer view the dashboard', async () => {
  const maker = await makeUser(platform)
  const dashboard = await makeDashboard(board([gauge('some-asset')]))
  await relate(platform, `${maker.id} manager dashboard:${dashboard}`)
  await relate(platform, `${maker.id} viewer asset:some-asset`)
  const token = await makeToken(dashboard, maker.token)
  const live = await connectRealtime(platform, undefined, { token })
  expect(await query(token, 'some-asset')).toBe(200)
  const [subject, resource] = [
    { subjectType: 'user', subjectId: maker.id },
    { resourceType: 'dashboard', resourceId: dashboard },
  ]
  await platform.post('/v1/relations/delete', { ...subject, ...resource, relation: 'manager' })
  expect(await query(token, 'some-asset')).toBe(401)
  expect(await live.closed).toMatchObject({ code: 1008 })
})

test('a token works for the API alone, not as the key of a routing target', async () => {
  const { token } = await showing(board([gauge(world.ids.client!)]))
  for (const path of ['/v1/providers/mqtt/validate', '/v1/providers/mqtt/devices'])
    expect((await platform.post(path, {}, { token })).status).not.toBe(200)
  expect((await platform.post('/v1/auth/logout', {}, { token })).status).toBe(409)
})

test('what is added to the dashboard is readable at once, and what is taken away no longer', async () => {
  const { id, token } = await showing(board([gauge('some-asset')]))
  expect([await query(token, 'some-asset'), await query(token, 'bound-asset')]).toEqual([200, 403])
  const data = board([gauge('bound-asset')])
  expect((await platform.patch(`/v1/dashboards/${id}`, { data })).status).toBe(200)
  expect([await query(token, 'some-asset'), await query(token, 'bound-asset')]).toEqual([403, 200])
  // Many owners are looked up as for a list.
  const assetIds = [
    'bound-asset',
    'some-asset',
    ...Array.from({ length: 60 }, (_one, index) => `other-${index}`),
  ]
  const many = await platform.post(
    '/v1/timeseries/get',
    { assetIds, timeseriesName: ['t'], ...span },
    { token },
  )
  expect([many.status, many.body.missing.length]).toEqual([200, 61])
})

test('it shows no more than its maker may view, and changes of that take effect at once', async () => {
  const maker = await makeUser(platform)
  const dashboard = await makeDashboard(board([gauge('some-asset'), gauge('bound-asset')]))
  await relate(platform, `${maker.id} manager dashboard:${dashboard}`)
  await relate(platform, `${maker.id} viewer asset:some-asset`)
  const token = await makeToken(dashboard, maker.token)
  expect([await query(token, 'some-asset'), await query(token, 'bound-asset')]).toEqual([200, 403])
  const [subject, resource] = [
    { subjectType: 'user', subjectId: maker.id },
    { resourceType: 'asset', resourceId: 'some-asset' },
  ]
  await platform.post('/v1/relations/delete', { ...subject, ...resource, relation: 'viewer' })
  expect(await query(token, 'some-asset')).toBe(403)
  await platform.patch(`/v1/users/${maker.id}`, { disabled: true })
  expect(await query(token, 'some-asset')).toBe(401)
})

test('dashboards in the dashboard are shown with their widgets, and no third ones', async () => {
  const embed = (dashboardId: string) => ({ kind: 'dashboard', options: { dashboardId } })
  const third = await makeDashboard(board([gauge('some-asset')]))
  const gaugeOf = (variable: string) => ({ kind: 'gauge', options: { signals: [{ variable, name: 't' }] } })
  const own = { pump: 'other-client', own: 'bound-client', unused: 'unused-client' }
  const ownValues = Object.entries(own).map(([name, id]) => ({ name, kind: 'asset', value: [id] }))
  const second = await makeDashboard(
    board([gauge('bound-asset'), gaugeOf('pump'), gaugeOf('own'), embed(third)], ownValues),
  )
  const pump = { name: 'pump', kind: 'asset', value: ['some-client', 'some-tank'] }
  const { token } = await showing(board([embed(second)], [pump]))
  const read = async (id: string) => (await platform.get(`/v1/dashboards/${id}`, { token })).status
  expect([await read(second), await read(third)]).toEqual([200, 403])
  expect(await query(token, 'bound-asset')).toBe(200)
  expect(await query(token, 'some-asset')).toBe(403)
  // The value of the variable; an asset of a variable is one.
  expect([await query(token, 'some-client'), await query(token, 'some-tank')]).toEqual([200, 403])
  // A variable of the inner dashboard alone has its own value. Whoever may see an asset gets 404 if there is none.
  expect(await Promise.all(Object.values(own).map((id) => query(token, id)))).toEqual([403, 404, 403])
})

test('dashboards in the dashboard are left out where their data is over 2 MiB together', async () => {
  const text = 'x'.repeat(20_000)
  const large = () => board(Array.from({ length: 46 }, () => ({ kind: 'text', options: { text } })))
  const ids = [await makeDashboard(large()), await makeDashboard(large()), await makeDashboard(large())]
  const { token } = await showing(
    board(ids.map((dashboardId) => ({ kind: 'dashboard', options: { dashboardId } }))),
  )
  const statuses = ids.map(async (id) => (await platform.get(`/v1/dashboards/${id}`, { token })).status)
  expect(await Promise.all(statuses)).toEqual([200, 200, 403])
})

test('whoever changes a dashboard that the maker may not view adds nothing to it', async () => {
  const maker = await makeUser(platform)
  const hidden = await makeDashboard(board([gauge('some-asset')]))
  const dashboard = await makeDashboard(board([{ kind: 'dashboard', options: { dashboardId: hidden } }]))
  await relate(platform, `${maker.id} manager dashboard:${dashboard}`)
  await relate(platform, `${maker.id} viewer asset:some-asset`)
  const token = await makeToken(dashboard, maker.token)
  expect((await platform.get(`/v1/dashboards/${hidden}`, { token })).status).toBe(403)
  expect(await query(token, 'some-asset')).toBe(403)
})

async function makeNode(parentNodeId: string | null = null): Promise<string> {
  const body = { displayName: 'Place', organizationId: platform.organizationId, parentNodeId }
  return (await platform.post('/v1/tree/nodes', body)).body.id
}

async function contain(fromId: string, toId: string, fromType = 'node'): Promise<void> {
  const edge = { fromType, fromId, toType: 'asset', toId, relation: 'CONTAINS' }
  expect((await platform.post('/v1/tree/edges', edge)).status).toBe(201)
}

test('a variable of a place shows the assets below it, and only them', async () => {
  const [hall, other] = [await makeNode(), await makeNode()]
  const line = await makeNode(hall)
  for (const id of ['below', 'beside', 'part'])
    await insertAsset(platform, id, { modelId: 'dtmi:walk:tank;1' })
  await contain(line, 'below')
  await contain(other, 'beside')
  await contain('below', 'part', 'asset')
  const { token } = await showing(
    board(
      [{ kind: 'table', options: { signals: [{ variable: 'hall', name: 't' }] } }],
      [{ name: 'hall', kind: 'node', value: [hall] }],
    ),
  )
  const tree = await platform.get(`/v1/tree?startNodeId=${hall}`, { token })
  expect(tree.body).toMatchObject({
    children: [{ id: line, children: [{ id: 'below', children: [{ id: 'part' }] }] }],
  })
  expect((await platform.get(`/v1/tree?startNodeId=${other}`, { token })).status).toBe(403)
  expect([await query(token, 'below'), await query(token, 'beside')]).toEqual([200, 403])
  expect(await query(token, 'part')).toBe(200)
})

test('of a place, 50 assets are shown which the maker may view, in five levels', async () => {
  const maker = await makeUser(platform)
  const place = await makeNode()
  let deepest = place
  for (let level = 1; level <= 5; level++) deepest = await makeNode(deepest)
  const assetIds = Array.from({ length: 60 }, (_one, index) => `many-${String(index).padStart(2, '0')}`)
  for (const id of [...assetIds, 'deep']) {
    await insertAsset(platform, id, { modelId: 'dtmi:walk:tank;1' })
    await contain(id === 'deep' ? deepest : place, id)
  }
  const seen = [...assetIds.slice(5), 'deep']
  for (const id of seen) await relate(platform, `${maker.id} viewer asset:${id}`)
  const dashboard = await makeDashboard(
    board(
      [{ kind: 'table', options: { signals: [{ variable: 'place', name: 't' }] } }],
      [{ name: 'place', kind: 'node', value: [place.toUpperCase()] }],
    ),
  )
  await relate(platform, `${maker.id} manager dashboard:${dashboard}`)
  const token = await makeToken(dashboard, maker.token)
  const { body } = await platform.post(
    '/v1/timeseries/get',
    { assetIds: [...assetIds, 'deep'], timeseriesName: ['t'], ...span },
    { token },
  )
  expect(body.missing.toSorted()).toEqual(['deep', ...assetIds.slice(0, 5), ...assetIds.slice(55)])
})

test('pictures are readable only while a widget shows them', async () => {
  const resourceId = world.ids.resource!
  const { id, token } = await showing(
    board([{ kind: 'image', options: { resourceId: resourceId.toUpperCase() } }]),
  )
  expect(await download(token, resourceId)).toBe(200)
  await platform.patch(`/v1/dashboards/${id}`, { data: board([{ kind: 'map', options: { resourceId } }]) })
  expect(await download(token, resourceId)).toBe(200)
  await platform.patch(`/v1/dashboards/${id}`, { data: board([]) })
  expect(await download(token, resourceId)).toBe(403)
})

test('alarms are those of its assets, or of a list of all assets, by the rules of the list', async () => {
  const statuses = (await platform.get('/v1/alarms/status')).body as { entityId: string; alarmId: string }[]
  const [{ entityId, alarmId }] = statuses as [{ entityId: string; alarmId: string }]
  const list = (options: object) => board([{ kind: 'alarmList', options }])
  const otherRule = await insertAlarm(platform, { entityTypeId: null })
  const cases: [object, string[]][] = [
    [list({}), statuses.map((status) => status.entityId).toSorted()],
    [list({ alarmIds: [alarmId] }), [entityId]],
    [list({ alarmIds: [otherRule] }), []],
    [list({ assetIds: [entityId] }), [entityId]],
    [list({ assetIds: ['beside'] }), []],
    [list({ assetIds: [] }), []],
    [board([gauge(entityId)]), [entityId]],
    [board([]), []],
  ]
  for (const [data, expected] of cases)
    expect(await listAssetsWithAlarms((await showing(data)).token)).toEqual(expected)
})

test('live values are those of its assets, end with a change of the dashboard, and with the token', async () => {
  const { id, token } = await showing(board([gauge('some-client')]))
  // The same user with another token, which sees more and stays.
  const { token: wide } = await showing(board([gauge('some-client'), gauge('bound-asset')]))
  const watch = async (own: string, assets: string[]) => {
    const client = await connectRealtime(platform, undefined, { token: own })
    const body = { connectionId: client.connectionId, topic: 'telemetry', assets }
    return { ...client, answer: await platform.post('/v1/realtime/subscriptions', body, { token: own }) }
  }
  expect((await watch(token, ['some-client', 'bound-asset'])).answer.status).toBe(403)
  const [own, other] = [await watch(token, ['some-client']), await watch(wide, ['bound-asset'])]
  expect([own.answer.status, other.answer.status]).toEqual([201, 201])
  const sample = await sampleMaker(platform)
  platform.ctx.push.publishSamples([sample('some-client', 7)])
  expect((await own.next()).data).toMatchObject({ assetId: 'some-client', value: 7 })

  expect((await platform.patch(`/v1/dashboards/${id}`, { data: board([]) })).status).toBe(200)
  expect((await own.next()).data).toMatchObject({
    topic: 'subscription',
    event: 'ended',
    reason: 'You may no longer view some-client.',
  })
  const [{ id: tokenId }] = (await platform.get(`/v1/dashboards/${id}/api-tokens`)).body
  await platform.delete(`/v1/dashboards/${id}/api-tokens/${tokenId}`)
  expect(await own.closed).toMatchObject({ code: 1008 })
  expect(other.messages).toEqual([])
  other.socket.close()
})

test('deleting the dashboard ends its tokens, and restoring it brings none back', async () => {
  const { id, token } = await showing(board([gauge('some-asset')]))
  expect((await platform.delete(`/v1/dashboards/${id}`)).status).toBe(204)
  expect(await query(token, 'some-asset')).toBe(401)
  expect((await platform.post(`/v1/deleted-dashboards/${id}/restore`)).status).toBe(200)
  expect(await query(token, 'some-asset')).toBe(401)
  const log = await platform.get('/v1/audit-log?resourceType=api_token&limit=1')
  expect(log.body).toMatchObject([{ action: 'delete', before: { dashboardId: id } }])
})

test('of very many assets, the first 1,000 are shown', async () => {
  const marker = (index: number) => ({ assetId: `none-${index}`, latitude: 0, longitude: 0 })
  const markersFrom = (start: number) => Array.from({ length: 500 }, (_, index) => marker(start + index))
  const maps = [0, 500, 1_000].map((start) => ({ kind: 'map', options: { markers: markersFrom(start) } }))
  const { token } = await showing(board(maps))
  // Assets that are shown and do not exist are not found.
  expect([await query(token, 'none-999'), await query(token, 'none-1000')]).toEqual([404, 403])
})
