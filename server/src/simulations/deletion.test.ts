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
const jobsOf = async (task: string) =>
  (
    await platform.ctx.pool.query(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = $1 order by j.id`,
      [task],
    )
  ).rows.map(({ payload }) => payload)

/** Of the simulation that was deleted last. */
async function runDeletion() {
  const payload = (await jobsOf('delete-simulation')).at(-1)
  await simulationTasks(platform.ctx)['delete-simulation']!(payload)
}

test('what it made goes with all that belongs to it; what was gone already holds up nothing', async () => {
  const fields = { count: 103, deviceIdPrefix: 'd-', modelId: pumpModel, signals, intervalSeconds: 60 }
  const { path, id } = await world.make(fields)
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.devices === 103)
  await world.until(path, ({ state }) => state === 'running')
  await platform.post('/v1/providers/mqtt/webhooks', { url: 'https://example.com/', secret: 's'.repeat(32) })
  await insertAsset(platform, 'reader')
  await insertBinding(platform, 'reader/-/telemetry/pressure', ['d-0102/-/telemetry/pressure'])
  await platform.delete(`${clients}/d-0007`)
  await platform.delete('/v1/assets/d-0008')
  await platform.delete(`${clients}/d-0101`)
  await platform.delete('/v1/assets/d-0101')
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
  const told = (await jobsOf('deliver-provider-event')).map(({ event }) => event)
  expect(new Set(told.map(({ device_id }) => device_id)).size).toBe(103)
  expect(new Set(told.map((event) => event.id)).size).toBe(103)
  const recorded = await pool.query(
    `select resource_type, count(*)::int from audit_log where resource_id like 'd-%' and action = 'delete'
     and before ->> 'displayName' like 'Tanks %' group by 1 order by 1`,
  )
  expect(recorded.rows).toEqual([
    { resource_type: 'asset', count: 103 },
    { resource_type: 'provider_client', count: 103 },
  ])
})

test('a crash in the middle costs nothing but the time, and a live session of somebody else is cut', async () => {
  const { path, id } = await world.make({ count: 2, deviceIdPrefix: 'e-', signals })
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.connected === 2)
  const ended = vi.spyOn(platform.ctx.liveSessions, 'of')
  await platform.delete(path)
  const { pool } = platform.ctx
  // The last statement of the job fails, after devices are gone.
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise 'crash'; end $$;
     create trigger crash before delete on simulations for each row execute function fail()`,
  )
  await expect(runDeletion()).rejects.toThrow('crash')
  expect(ended.mock.calls).toEqual([['e-0001'], ['e-0002']])
  await pool.query('drop trigger crash on simulations')
  await runDeletion()
  expect((await pool.query('select from simulations where id = $1', [id])).rowCount).toBe(0)
  ended.mockRestore()
})
