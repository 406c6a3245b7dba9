import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertAsset, insertBinding, makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import { type SimulatedWorld, startSimulatedWorld } from '../../test/harness/simulated.ts'
import { simulationTasks } from './tasks.ts'

let world: SimulatedWorld
let platform: SimulatedWorld['platform']
beforeAll(async () => {
  world = await startSimulatedWorld()
  platform = world.platform
  await makePumpModel(platform)
})
afterAll(() => world[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'
const signals = [{ name: 'pressure', generator: 'constant', value: 7 }]
const listJobs = async (task: string) =>
  (
    await platform.ctx.pool.query(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = $1 order by j.id`,
      [task],
    )
  ).rows.map(({ payload }) => payload)

/** The payload of the last deletion. */
async function runDeletion() {
  const payload = (await listJobs('delete-simulation')).at(-1)
  await simulationTasks(platform.ctx)['delete-simulation']!(payload)
}

test('everything it made is deleted; what is already deleted does not matter', async () => {
  const fields = { count: 4, deviceIdPrefix: 'd-', modelId: pumpModel, signals, intervalSeconds: 60 }
  const { path, id } = await world.make(fields)
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.devices === 4)
  await world.until(path, ({ state }) => state === 'running')
  await platform.post('/v1/providers/mqtt/webhooks', { url: 'https://example.com/', secret: 's'.repeat(32) })
  await insertAsset(platform, 'reader')
  await insertBinding(platform, 'reader/-/telemetry/pressure', ['d-0004/-/telemetry/pressure'])
  await platform.delete(`${clients}/d-0001`)
  await platform.delete('/v1/assets/d-0002')
  await platform.delete(`${clients}/d-0003`)
  await platform.delete('/v1/assets/d-0003')
  expect((await platform.delete(path)).status).toBe(204)
  await runDeletion()

  const { pool } = platform.ctx
  const left = await pool.query(
    `select id from provider_clients where id like 'd-%' union all select id from assets where id like 'd-%'
     union all select resource_id from relations where resource_id like 'd-%'
     union all select id::text from simulations where id = $1`,
    [id],
  )
  expect(left.rows).toEqual([])
  expect((await platform.get('/v1/assets/reader')).body.contentBindings).toEqual([])
  const told = (await listJobs('deliver-provider-event')).map(({ event }) => event)
  expect(new Set(told.map(({ device_id }) => device_id)).size).toBe(4)
  expect(new Set(told.map((event) => event.id)).size).toBe(4)
  const recorded = await pool.query(
    `select resource_type, count(*)::int from audit_log where resource_id like 'd-%' and action = 'delete'
     and before ->> 'displayName' like 'Tanks %' group by 1 order by 1`,
  )
  expect(recorded.rows).toEqual([
    { resource_type: 'asset', count: 4 },
    { resource_type: 'provider_client', count: 4 },
  ])
})

test('a deletion continues after a crash; live sessions end', async () => {
  const { path, id } = await world.make({ count: 103, deviceIdPrefix: 'e-', signals, intervalSeconds: 60 })
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.connected === 103)
  const ended = vi.spyOn(platform.ctx.liveSessions, 'list')
  await platform.delete(path)
  const { pool } = platform.ctx
  // The last statement of the job fails, after devices were deleted.
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise 'crash'; end $$;
     create trigger crash before delete on simulations for each row execute function fail()`,
  )
  await expect(runDeletion()).rejects.toThrow('crash')
  expect(new Set(ended.mock.calls.flat()).size).toBe(103)
  expect((await pool.query(`select from provider_clients where id like 'e-%'`)).rowCount).toBe(0)
  await pool.query('drop trigger crash on simulations')
  await runDeletion()
  expect((await pool.query('select from simulations where id = $1', [id])).rowCount).toBe(0)
  ended.mockRestore()
})
