import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import { makeGroup } from '../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  for (const [id, displayName] of [
    ['pump-1', 'Main Pump'],
    ['pump-2', 'Hall 100% _wet_'],
    ['valve-1', 'Übergabe pumpe'],
    ['valve-2', String.raw`back\slash`],
  ])
    await platform.post('/v1/providers/mqtt/clients', { id, displayName })
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'
const find = async (search: string, rest = '') => {
  const { status, body } = await platform.get(`${clients}?search=${encodeURIComponent(search)}${rest}`)
  return status === 200 ? body.map(({ id }: { id: string }) => id) : [status, body.error]
}

test.each([
  ['PUMP', ['pump-1', 'pump-2', 'valve-1']],
  ['ump-2', ['pump-2']],
  ['100%', ['pump-2']],
  ['_', ['pump-2']],
  ['\\', ['valve-2']],
  ["' or true --", []],
  ['nothing', []],
])(
  'a search for %s finds it in ids and names, in any case, as it is [docs/api#search]',
  async (text, ids) => {
    expect(await find(text)).toEqual(ids)
  },
)

test('pages of a search keep it', async () => {
  const first = await platform.get(`${clients}?search=pump&limit=2`)
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link')!)![1]!
  expect(next).toContain('search=pump')
  expect((await platform.get(next)).body.map(({ id }: { id: string }) => id)).toEqual(['valve-1'])
})

test.each(['', 'x'.repeat(129), '\u0000'])('a search for %j is refused', async (text) => {
  expect(await find(text)).toEqual([400, 'validation_error'])
})

test('others do not find what they may not view', async () => {
  const { token } = await platform.makeTenant('other')
  expect((await platform.get('/v1/users?search=admin', { token })).body).toHaveLength(1)
  expect((await platform.get(`${clients}?search=pump`, { token })).body).toEqual([])
})

test.each([
  ['/v1/users', 'admin@EXAMPLE', 1],
  ['/v1/groups', 'night', 1],
  ['/v1/tree/nodes', 'night', 1],
  ['/v1/organizations', 'nothing', 0],
  ['/v1/alarms', 'night', 1],
  ['/v1/dashboards', 'night', 1],
  ['/v1/providers', 'mqtt', 1],
  ['/v1/provider-templates', 'nothing', 0],
  ['/v1/resources', 'nothing', 0],
  ['/v1/simulations', 'nothing', 0],
  ['/v1/notifications', 'nothing', 0],
  ['/v1/contactgroups', 'nothing', 0],
  ['/v1/firmware/releases', 'nothing', 0],
  ['/v1/firmware/deployments', 'nothing', 0],
])('%s has a search', async (url, text, count) => {
  const { organizationId } = platform
  const made = { displayName: `Night ${url}`, name: `Night ${url}`, organizationId }
  if (text === 'night') {
    const answer = await platform.post(url, made)
    expect([url, answer.status, answer.body.message]).toEqual([url, 201, undefined])
  }
  const { status, body } = await platform.get(`${url}?search=${encodeURIComponent(text)}`)
  expect([status, body.length ?? body]).toEqual([200, count])
})

test('models and assets have a search', async () => {
  await makePumpModel(platform)
  await insertAsset(platform, 'hall-7')
  const list = async (url: string) => (await platform.get(url)).body.map(({ id }: { id: string }) => id)
  expect(await list('/v1/models?search=EXAMPLE:pump')).toEqual([pumpModel])
  expect(await list('/v1/models?search=valve')).toEqual([])
  expect(await list('/v1/assets?search=ALL-7')).toEqual(['hall-7'])
  expect(await list(`/v1/assets?search=hall&modelId=${pumpModel}`)).toEqual(['hall-7'])
  expect(await list('/v1/assets?search=hall&modelId=other')).toEqual([])
})

test('the lists of the onboarding service have a search', async () => {
  const group = await makeGroup(platform)
  await group.add('searched-1')
  const count = async (url: string) => (await platform.get(url)).body.items.length
  const devices = `/api/enrollment-groups/${group.groupId}/devices`
  expect(await count(`${devices}?search=ARCHED`)).toBe(1)
  expect(await count(`${devices}?search=other`)).toBe(0)
  for (const list of ['/api/enrollment-groups', '/api/routing-targets']) {
    const all = await platform.get(list)
    const { name } = all.body.items[0]
    expect(await count(`${list}?search=${encodeURIComponent(name.toUpperCase())}`)).toBeGreaterThan(0)
    expect(await count(`${list}?search=nothing-like-it`)).toBe(0)
  }
})

test('long lists are searched by an index', async () => {
  const { pool } = platform.ctx
  const plan = async (sql: string) => {
    const client = await pool.connect()
    try {
      await client.query('set enable_seqscan = off')
      const { rows } = await client.query(`explain ${sql}`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    } finally {
      client.release(true)
    }
  }
  const columns = { provider_clients: 'id', assets: 'display_name', onboarding_devices: 'device_id' }
  for (const [table, column] of Object.entries(columns))
    expect(await plan(`select from ${table} where ${column} ilike '%pump%'`)).toContain(`${table}_search`)
})
