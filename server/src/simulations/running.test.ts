import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeModel } from '../../test/harness/assets.ts'
import { type SimulatedWorld, startSimulatedWorld } from '../../test/harness/simulated.ts'
import { makeUser, relate } from '../../test/harness/users.ts'
import { claimLeases } from './leases.ts'

let world: SimulatedWorld
let platform: SimulatedWorld['platform']
beforeAll(async () => {
  world = await startSimulatedWorld()
  platform = world.platform
  await makeModel(platform, 'dtmi:sim:motor;1', [{ '@type': 'Telemetry', name: 'rpm', schema: 'integer' }])
  await makeModel(platform, 'dtmi:sim:tank;1', [
    { '@type': 'Telemetry', name: 'level', schema: 'double' },
    { '@type': 'Component', name: 'motor', schema: 'dtmi:sim:motor;1' },
  ])
})
afterAll(() => world[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'
const state =
  (expected: string, more: (body: { progress: Record<string, number> }) => boolean = () => true) =>
  (body: { state: string; progress: Record<string, number> }) =>
    body.state === expected && more(body)
const heard = (messages: number) => state('running', ({ progress }) => progress.acknowledged! >= messages)

test('makes and connects devices and assets, stores their messages, stops, and deletes what it made', async () => {
  const { path, deviceIdPrefix } = await world.make({
    modelId: 'dtmi:sim:tank;1',
    signals: [
      { name: 'level', generator: 'constant', value: 7 },
      { name: 'rpm', component: 'motor', generator: 'sine', amplitude: 0, offset: 900.4, periodSeconds: 1 },
    ],
  })
  const started = await platform.post(`${path}/start`)
  expect([started.status, started.body.state]).toEqual([202, 'starting'])
  expect((await platform.post(`${path}/start`)).status).toBe(409)
  const running = await world.until(path, heard(2))
  expect(running).toMatchObject({
    startedAt: expect.any(String),
    progress: { devices: 2, connected: 2, errors: 0, lastError: null },
  })
  const first = `${deviceIdPrefix}0001`
  expect((await platform.get(`${clients}/${first}`)).body.connection.connected).toBe(true)
  expect((await world.listValues('asset', first))[0]).toBe(7)
  // Whole numbers for a model that has integers.
  expect((await world.listValues('asset', first, 'rpm'))[0]).toBe(900)

  const stopped = await platform.post(`${path}/stop`)
  expect([stopped.status, stopped.body.state]).toEqual([202, 'stopping'])
  const still = await world.until(path, state('stopped'))
  expect(still.progress).toMatchObject({ connected: 0, errors: 0, sent: still.progress.acknowledged })
  expect((await platform.post(`${path}/stop`)).status).toBe(409)

  await platform.post(`${path}/start`)
  await world.until(path, heard(1))
  expect((await platform.delete(path)).status).toBe(204)
  expect(await world.runJobs()).toContain('delete-simulation')
  for (const gone of [path, `${clients}/${first}`, `/v1/assets/${first}`])
    expect((await platform.get(gone)).status).toBe(404)
  const rows = await platform.ctx.pool.query('select from simulations where id = $1', [
    path.split('/').at(-1),
  ])
  expect(rows.rowCount).toBe(0)
})

test('a stop during the start creates no more devices', async () => {
  const { path } = await world.make({ count: 1000 })
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.devices > 0)
  expect((await platform.post(`${path}/stop`)).status).toBe(202)
  const { progress } = await world.until(path, state('stopped'))
  expect(progress.devices).toBeLessThan(1000)
  await platform.delete(path)
  await world.runJobs()
})

test('an existing client is used and kept; one of another provider is refused with the reason', async () => {
  const { path } = await world.make({ count: 1, deviceIdPrefix: 'there-' })
  await platform.post(clients, { id: 'there-0001', displayName: 'There' })
  await platform.post(`${path}/start`)
  await world.until(path, heard(1))
  await platform.delete(path)
  await world.runJobs()
  expect((await platform.get(`${clients}/there-0001`)).body.displayName).toBe('There')

  const { organizationId } = platform
  await platform.post('/v1/providers', { id: 'second', type: 'mqtt', displayName: 'S', organizationId })
  const other = await world.make({ count: 1, deviceIdPrefix: 'there-', providerId: 'second' })
  await platform.post(`${other.path}/start`)
  const { progress } = await world.until(other.path, ({ progress: { errors } }) => errors > 0)
  expect(progress.lastError).toContain('belongs to the provider mqtt')
  expect((await world.until(other.path, state('stopped'))).progress.connected).toBe(0)
})

test('an existing asset is not used', async () => {
  const { path } = await world.make({ count: 1, deviceIdPrefix: 'taken-', modelId: 'dtmi:sim:tank;1' })
  const asset = { id: 'taken-0001', modelId: 'dtmi:sim:tank;1', displayName: 'T' }
  await platform.post('/v1/assets', { ...asset, organizationId: platform.organizationId })
  await platform.post(`${path}/start`)
  const { progress } = await world.until(
    path,
    state('stopped', (body) => body.progress.errors! > 0),
  )
  expect(progress.lastError).toContain('There is an asset taken-0001 already')
})

test('a device whose client was deleted is created and bound again at the next start', async () => {
  const { path } = await world.make({ count: 1, deviceIdPrefix: 'again-', modelId: 'dtmi:sim:tank;1' })
  await platform.post(`${path}/start`)
  await world.until(path, heard(1))
  await platform.post(`${path}/stop`)
  await world.until(path, state('stopped'))
  await platform.delete(`${clients}/again-0001`)
  const before = (await world.listValues('asset', 'again-0001')).length
  await platform.post(`${path}/start`)
  await world.until(path, heard(1))
  expect((await world.listValues('asset', 'again-0001')).length).toBeGreaterThan(before)
  await platform.post(`${path}/stop`)
})

test('the rights of the user who starts it apply, also to what is made later', async () => {
  const { path } = await world.make({ count: 1, modelId: 'dtmi:sim:tank;1' })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} provider_client_manager organization:${platform.organizationId}`)
  expect(await platform.post(`${path}/start`, undefined, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { privilege: 'asset_management' } } },
  })
  expect((await platform.delete(path, { token })).status).toBe(403)
})

test('another node continues where this one ended, and a dead node keeps no lease', async () => {
  const { path, id } = await world.make({
    count: 1,
    signals: [{ name: 'level', generator: 'steps', values: [1, 2, 3, 4, 5, 6, 7, 8, 9], holdSeconds: 1 }],
  })
  await platform.post(`${path}/start`)
  const before = await world.until(path, heard(1))
  await world.stopSimulations()
  const asleep = (await platform.get(path)).body
  expect([asleep.state, asleep.progress.connected]).toEqual(['running', 0])
  // Simulates that a node that has ended held it until now.
  await platform.ctx.pool.query(
    `update simulations set lease_node = gen_random_uuid(), lease_until = now() + interval '1 hour' where id = $1`,
    [id],
  )
  await world.startSimulations()
  const after = await world.until(path, heard(asleep.progress.acknowledged + 1))
  expect(after.startedAt).toBe(before.startedAt)
  const values = (await world.listValues('client', `${after.deviceIdPrefix}0001`)) as number[]
  expect(values).toEqual(values.toSorted((a, b) => a - b))
  await platform.post(`${path}/stop`)
  await world.until(path, state('stopped'))
})

test('a simulation that runs on another node is not started', async () => {
  const { path, id } = await world.make({ count: 1 })
  const { pool } = platform.ctx
  const other = await pool.connect()
  try {
    const { rows } = await other.query(
      `update simulations set state = 'running', lease_node = gen_random_uuid(), lease_until = now() + interval '1 hour'
       where id = $1 returning lease_node, pg_advisory_lock(hashtextextended('gangway node ' || lease_node::text, 0))`,
      [id],
    )
    await world.stopSimulations()
    await world.startSimulations()
    const { rows: after } = await pool.query('select lease_node from simulations where id = $1', [id])
    expect(after[0].lease_node).toBe(rows[0].lease_node)
    expect(platform.parts.simulations.findProgress(id)).toBeUndefined()
  } finally {
    other.release(true)
  }
  await platform.delete(path)
})

test('a device that is refused records the reason, and keeps trying', async () => {
  const { path, deviceIdPrefix } = await world.make({ count: 1 })
  await platform.post(`${path}/start`)
  await world.until(path, heard(1))
  await platform.put(`${clients}/${deviceIdPrefix}0001`, { displayName: 'Off', enabled: false })
  const { progress } = await world.until(path, (body) => body.progress.errors > 0)
  expect(progress).toMatchObject({ connected: 0, lastError: expect.stringContaining('Not authorized') })
  await platform.put(`${clients}/${deviceIdPrefix}0001`, { displayName: 'On', enabled: true })
  await world.until(path, (body) => body.progress.connected === 1)
  await platform.post(`${path}/stop`)
})

test('a node runs at most 2,000 devices', async () => {
  const { path, id } = await world.make({ count: 1000 })
  const { ctx } = platform
  const { freeDevices } = platform.parts.simulations
  expect(freeDevices()).toBeGreaterThan(1000)
  expect(freeDevices()).toBeLessThanOrEqual(2000)
  platform.parts.simulations.freeDevices = () => 999
  expect(await platform.post(`${path}/start`)).toMatchObject({
    status: 409,
    body: { details: { room: 999 } },
  })
  platform.parts.simulations.freeDevices = freeDevices
  await world.stopSimulations()
  const holderAfter = async (free: number) => {
    await claimLeases(ctx, free)
    return (await ctx.pool.query('select lease_node from simulations where id = $1', [id])).rows[0].lease_node
  }
  await ctx.pool.query(`update simulations set state = 'starting' where id = $1`, [id])
  expect(await holderAfter(999)).toBe(null)
  expect(await holderAfter(1000)).toBe(ctx.nodes.id)
  await platform.delete(path)
  await world.startSimulations()
})
