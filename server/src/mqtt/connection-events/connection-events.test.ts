import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readFile } from 'node:fs/promises'
import { startGateway, type TestDevice, type TestGateway } from '../../../test/harness/gateway.ts'
import { reasonCodes } from '../connection/disconnect-reason.ts'
import { deleteOldEventsOfClients, EVENTS_OF_CLIENT } from './connection-events.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function list({ number }: TestDevice) {
  await gateway.ctx.connectionEvents.flush()
  return gateway.ctx.db
    .selectFrom('connection_events')
    .selectAll()
    .where('client_number', '=', number)
    .orderBy('id')
    .execute()
}
const summarize = async (device: TestDevice) =>
  (await list(device)).map(({ event, reason }) => (reason ? `${event}: ${reason}` : event))

test('a connection and its end are recorded, with protocol, address and reason', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.raw(device, { clientId: 'one', protocolVersion: 5 })
  client.send({ cmd: 'disconnect' })
  await client.closed
  await expect.poll(() => summarize(device)).toEqual(['connected', 'disconnected: client_disconnected'])
  const [connected, disconnected] = await list(device)
  expect(connected).toMatchObject({
    protocol: '5',
    transport: 'tcp',
    tls_version: null,
    address: '127.0.0.1',
    client_id: 'one',
    resumed: false,
    message: null,
  })
  expect(disconnected).toMatchObject({ client_id: 'one', message: expect.stringMatching(/\.$/) })
})

test('a takeover ends the older connection, and a broken one says so', async () => {
  const device = await gateway.makeDevice()
  await gateway.raw(device, { clientId: 'same' })
  const second = await gateway.raw(device, { clientId: 'same' })
  second.socket.destroy()
  await expect
    .poll(() => summarize(device))
    .toEqual(['connected', 'disconnected: session_taken_over', 'connected', 'disconnected: connection_lost'])
})

test('a resumed session says so', async () => {
  const device = await gateway.makeDevice()
  for (let time = 0; time < 2; time++) {
    const client = await gateway.raw(device, { clientId: 'kept', clean: false })
    client.send({ cmd: 'disconnect' })
    await client.closed
  }
  await expect
    .poll(async () =>
      (await list(device)).filter(({ event }) => event === 'connected').map((row) => row.resumed),
    )
    .toEqual([false, true])
})

test('events are written although the connection to the database breaks meanwhile', async () => {
  const device = await gateway.makeDevice()
  const { pool } = gateway.database
  const holder = await pool.connect()
  await holder.query('begin; lock table connection_events in access exclusive mode')
  gateway.ctx.connectionEvents.record(device.number, { event: 'connected' })
  const written = gateway.ctx.connectionEvents.flush()
  const breakIt = `
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%into connection_events%'`
  await vi.waitUntil(async () => (await pool.query(breakIt)).rowCount === 1)
  await holder.query('commit')
  holder.release()
  await written
  expect(await summarize(device)).toEqual(['connected'])
})

test('of a storm the newest events are kept, and old ones of a client are deleted', async () => {
  const device = await gateway.makeDevice()
  const { connectionEvents, db } = gateway.ctx
  for (let round = 0; round < 50; round++)
    connectionEvents.record(device.number, { event: 'connected', client_id: String(round) })
  expect((await list(device)).map((row) => row.client_id)).toEqual(
    Array.from({ length: 10 }, (_, index) => String(40 + index)),
  )
  for (let round = 0; round < 15; round++) {
    for (let event = 0; event < 10; event++) connectionEvents.record(device.number, { event: 'connected' })
    await connectionEvents.flush()
  }
  await deleteOldEventsOfClients(db, [device.number])
  expect(await list(device)).toHaveLength(EVENTS_OF_CLIENT)
})

test('events of a deleted client are left out', async () => {
  const device = await gateway.makeDevice()
  await gateway.ctx.db.deleteFrom('provider_clients').where('number', '=', device.number).execute()
  gateway.ctx.connectionEvents.record(device.number, { event: 'connected' })
  expect(await list(device)).toEqual([])
})

test('the guide names every reason', async () => {
  const guide = await readFile(new URL('../../../../docs/mqtt.md', import.meta.url), 'utf8')
  const section = guide.split('### Connection events')[1]!.split('\n## ')[0]!
  expect(Object.keys(reasonCodes).filter((reason) => !section.includes(`\`${reason}\``))).toEqual([])
})
