import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { sql } from 'kysely'
import { type CommandWorld, type Question, startCommandWorld } from '../../../test/harness/command-world.ts'
import { type Platform } from '../../../test/harness/platform.ts'
import { refuseFullQueue } from './refuse-full-queue.ts'
import { commandTasks } from './tasks.ts'

let world: CommandWorld
let platform: Platform
let makePump: CommandWorld['makePump']
beforeAll(async () => {
  world = await startCommandWorld()
  ;({ platform, makePump } = world)
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => platform.ctx.pool.query('delete from graphile_worker._private_jobs').then(() => {}))

const settle = (id: string) => commandTasks(platform.ctx)['settle-command']!({ id })

describe('a device that is away', () => {
  test('fails the command at once [docs/assets#command-states]', async () => {
    const pump = await makePump()
    expect((await pump.send()).body).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: .*not connected/),
    })
    pump.connect('other')
    expect((await pump.send()).body.statusMessage).toMatch(/^device_offline: .*not subscribed/)
  })

  test('gets queued commands when it connects, in the order of creation', async () => {
    const pump = await makePump()
    for (const payload of [1, 2, 3]) {
      const { body } = await pump.send({ payload, expiresAfterSeconds: 60 })
      expect(body).toMatchObject({ status: 'queued', responseTimestamp: null })
    }
    await pump.brake({ expiresAfterSeconds: 60 })
    const session = pump.connect('spin')
    // Two concurrent messages send it once.
    await Promise.all([1, 2].map(() => world.dispatch(pump)))
    expect(session.sent.map(({ payload }) => (payload as Question).payload)).toEqual([1, 2, 3])
    const { body } = await platform.get(`${pump.at}/history`)
    expect(body.map(({ status }: { status: string }) => status)).toEqual(['running', 'running', 'running'])
    // Commands that it has not subscribed to keep waiting, and delay no others.
    const brake = await platform.get(`/v1/assets/${pump.id}/commands/brake?componentId=motor`)
    expect(brake.body.status).toBe('queued')
  })

  test('lets the command expire [docs/assets#command-states]', async () => {
    const pump = await makePump()
    await pump.send({ expiresAfterSeconds: 30 })
    expect(await world.runJobs()).toEqual(['settle-command'])
    expect((await pump.status()).status).toBe('queued')
    // The job ran too early, and runs again.
    expect(await world.runJobs()).toEqual(['settle-command'])
    await pump.send({ expiresAfterSeconds: 60 })
    await world.passSeconds(45)
    const first = (await platform.get(`${pump.at}/history`)).body[1]
    // It has expired, although its job has not run: a device that reconnects does not receive it.
    const session = pump.connect('spin')
    await world.dispatch(pump)
    expect(session.sent).toHaveLength(1)
    await settle(first.commandId)
    expect((await platform.get(`${pump.at}/history`)).body[1]).toMatchObject({
      status: 'expired',
      statusMessage: 'The device was offline for 30 seconds.',
    })
  })

  test('that disconnects between claim and send leaves the command queued', async () => {
    const pump = await makePump()
    await pump.send({ expiresAfterSeconds: 60 })
    const session = pump.connect('spin')
    session.send = () => false
    await world.dispatch(pump)
    await vi.waitFor(async () => expect((await pump.status()).status).toBe('queued'))
    // Its time limit is again that of waiting.
    await world.passSeconds(61)
    await world.runJobs()
    expect((await pump.status()).status).toBe('expired')
  })
})

describe('a node that dies', () => {
  test('before sending leaves no command queued forever', async () => {
    const pump = await makePump()
    // Its device is stored as connected to another node, which never answers.
    const { pool } = platform.ctx
    await connectClients(pool, [pump.number], await insertNode(pool))
    expect((await pump.send()).body.status).toBe('queued')
    await world.passSeconds(6)
    expect(await world.runJobs()).toEqual(['settle-command'])
    expect(await pump.status()).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: /),
    })
  })

  test('between claim and send leaves a command that is not sent again', async () => {
    const pump = await makePump()
    await pump.send({ expiresAfterSeconds: 60 })
    await platform.ctx.pool.query(
      `update asset_commands set status = 'running', started_at = now() where client_number = $1`,
      [pump.number],
    )
    const session = pump.connect('spin')
    await platform.parts.commandQueue.dispatch({ id: pump.client, number: pump.number })
    expect(session.sent).toEqual([])
    await world.passSeconds(91)
    await world.runJobs()
    expect((await pump.status()).status).toBe('timed_out')
  })

  test('after sending leaves a command that times out when it is due', async () => {
    const pump = await makePump()
    pump.connect('spin')
    const { commandId } = (await pump.send()).body
    await settle(commandId)
    expect((await pump.status()).status).toBe('running')
    await world.passSeconds(361)
    expect(await world.runJobs()).toEqual(['settle-command'])
    expect(await pump.status()).toMatchObject({
      status: 'timed_out',
      statusMessage: expect.stringContaining('stopped before an answer came'),
    })
  })
})

describe('cancelling', () => {
  test('ends only queued commands', async () => {
    const pump = await makePump()
    const ids: string[] = []
    for (let count = 0; count < 3; count++)
      ids.push((await pump.send({ expiresAfterSeconds: 60 })).body.commandId)
    const cancel = (body: object) => platform.post(`${pump.at}/cancel`, body)
    expect(await cancel({ commandId: ids[0] })).toMatchObject({
      status: 200,
      body: { commandId: ids[0], status: 'cancelled' },
    })
    // Without an id the latest queued one is cancelled.
    expect((await cancel({})).body.commandId).toBe(ids[2])
    expect((await cancel({})).body.commandId).toBe(ids[1])
    for (const body of [{}, { commandId: ids[0] }])
      expect(await cancel(body)).toMatchObject({ status: 409, body: { error: 'conflict' } })
    expect((await cancel({ commandId: '00000000-0000-4000-8000-000000000000' })).status).toBe(404)
    expect((await cancel({ commandId: 'x' })).status).toBe(400)
    const session = pump.connect('spin')
    await world.dispatch(pump)
    expect(session.sent).toEqual([])
  })

  test('concurrent with sending: exactly one of them happens', async () => {
    const pump = await makePump()
    const { commandId } = (await pump.send({ expiresAfterSeconds: 60 })).body
    const session = pump.connect('spin')
    const [cancelled] = await Promise.all([
      platform.post(`${pump.at}/cancel`, { commandId }),
      world.dispatch(pump),
    ])
    expect(session.sent).toHaveLength(cancelled.status === 200 ? 0 : 1)
    expect((await pump.status()).status).toBe(cancelled.status === 200 ? 'cancelled' : 'running')
  })
})

describe('a device of a remote provider', () => {
  test('gets the command at once, a module by its name', async () => {
    const pump = await makePump({ provider: 'hub' })
    const { registered, online } = world.hub
    registered.set(`${pump.client}/motor`, registered.get(pump.client)!)
    for (const id of [pump.client, `${pump.client}/motor`])
      online.set(id, (method, payload) => ({ status: 200, payload: { id, method, payload } }))
    await pump.send()
    const responsePayload = { id: pump.client, method: 'spin', payload: 5 }
    expect(await pump.ends()).toMatchObject({ status: 'succeeded', responsePayload })
    await pump.brake()
    await vi.waitFor(async () => {
      const { body } = await platform.get(`/v1/assets/${pump.id}/commands/brake?componentId=motor`)
      expect(body.responsePayload).toEqual({ id: `${pump.client}/motor`, method: 'brake', payload: null })
    })
  })

  test('that is offline makes the command fail, or wait until the hub accepts it', async () => {
    const pump = await makePump({ provider: 'hub' })
    await pump.send()
    expect(await pump.ends()).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^device_offline: /),
    })
    await platform.ctx.pool.query('delete from graphile_worker._private_jobs')
    const isQueued = () => vi.waitFor(async () => expect((await pump.status()).status).toBe('queued'))
    await pump.send({ payload: 1, expiresAfterSeconds: 60 })
    await isQueued()
    // It waits behind the first, although the device is online by now.
    const seen: unknown[] = []
    const getsThere = (_method: string, payload: unknown) => {
      seen.push(payload)
      return { status: 200, payload: null }
    }
    world.hub.online.set(pump.client, getsThere)
    expect((await pump.send({ payload: 2, expiresAfterSeconds: 60 })).body.status).toBe('queued')
    world.hub.online.delete(pump.client)
    expect(await world.runJobs()).toContain('retry-queued-commands')
    await isQueued()
    expect(seen).toEqual([])
    world.hub.online.set(pump.client, getsThere)
    await world.runJobs()
    expect((await pump.ends()).status).toBe('succeeded')
    expect(seen).toEqual([1, 2])
  })
})

test('an online device of a remote provider gets all commands that are created at the same moment', async () => {
  const pump = await makePump({ provider: 'hub' })
  const seen: unknown[] = []
  world.hub.online.set(pump.client, (_method, payload) => {
    seen.push(payload)
    return { status: 200, payload: null }
  })
  const waits = { expiresAfterSeconds: 60 }
  await Promise.all(Array.from({ length: 6 }, (_, payload) => pump.send({ payload, ...waits })))
  await world.runJobs()
  await vi.waitFor(async () => {
    const { body } = await platform.get(`${pump.at}/history`)
    expect(body.map(({ status }: { status: string }) => status)).toEqual(Array(6).fill('succeeded'))
  })
  expect((seen as number[]).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a hundred commands wait for a device, and no more', async () => {
  const pump = await makePump()
  await pump.send({ expiresAfterSeconds: 60 })
  await platform.ctx.pool.query(
    `insert into asset_commands select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
     from asset_commands c, generate_series(1, 98)
     where client_number = $1`,
    [pump.number],
  )
  expect((await pump.send({ expiresAfterSeconds: 60 })).status).toBe(202)
  expect(await pump.send({ expiresAfterSeconds: 60 })).toMatchObject({
    status: 409,
    body: { error: 'conflict', details: { waiting: 100 } },
  })
  await platform.post(`${pump.at}/cancel`, {})
  expect((await pump.send({ expiresAfterSeconds: 60 })).status).toBe(202)
})

test('the limit holds for a burst over several servers', async () => {
  const pump = await makePump()
  await pump.send({ expiresAfterSeconds: 60 })
  const copy = (count: number) => sql`
    insert into asset_commands select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
    from asset_commands c, generate_series(1, ${count}::int)
    where c.id = (select id from asset_commands where client_number = ${pump.number} limit 1)`
  await copy(98).execute(platform.ctx.db)
  const answer = await platform.ctx.db.transaction().execute(async (elsewhere) => {
    await copy(1).execute(elsewhere)
    await refuseFullQueue(elsewhere, { id: pump.client, number: pump.number })
    const sending = pump.send({ expiresAfterSeconds: 60 })
    await Promise.race([sending, untilSomebodyWaits()])
    return { sending }
  })
  expect(await answer.sending).toMatchObject({ status: 409, body: { details: { waiting: 100 } } })
})

const untilSomebodyWaits = () =>
  vi.waitFor(
    async () => {
      const { rows } = await platform.ctx.pool.query(`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`)
      if (rows.length === 0) throw new Error('nobody waits')
    },
    { interval: 20 },
  )

test('concurrent commands for one device are each sent once', async () => {
  const pump = await makePump()
  const session = pump.connect('spin')
  // A command that does not wait fails after a few seconds, which a busy machine may need for all of them.
  await Promise.all(
    Array.from({ length: 30 }, (_, payload) => pump.send({ payload, expiresAfterSeconds: 60 })),
  )
  const payloads = session.sent.map(({ payload }) => (payload as Question).payload as number)
  expect(payloads.toSorted((a, b) => a - b)).toEqual([...Array(30).keys()])
})

test('a job sends a command to a hub that the node did not send', async () => {
  const pump = await makePump({ provider: 'hub' })
  world.hub.online.set(pump.client, () => ({ status: 200, payload: 'late' }))
  const { pool } = platform.ctx
  // Simulates that the process ended between storing the command and claiming it.
  await pool.query(
    `create function refuse_claim() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
  )
  await pool.query(`create trigger refuse_claim before update on asset_commands for each row
    execute function refuse_claim()`)
  expect((await pump.send({ expiresAfterSeconds: 60 })).status).toBe(500)
  await pool.query('drop trigger refuse_claim on asset_commands')
  expect((await pump.status()).status).toBe('queued')
  await world.runJobs()
  expect(await pump.ends()).toMatchObject({ status: 'succeeded', responsePayload: 'late' })
})
