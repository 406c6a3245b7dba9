import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { startGateway, type TestDevice, type TestGateway } from '../../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The events of a device on record, oldest first: what happened, or why its connection ended. */
async function listEvents({ number }: TestDevice): Promise<string[]> {
  await gateway.ctx.connectionEvents.flush()
  const { rows } = await gateway.database.pool.query(
    'select coalesce(reason, event) as what from connection_events where client_number = $1 order by id',
    [number],
  )
  return rows.map(({ what }) => what as string)
}

const isOnline = (row: { connected: boolean }) => row.connected
const isOffline = (row: { connected: boolean }) => !row.connected

describe('online state', () => {
  test('follows the connection, with address and reason', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    expect((await gateway.connectionOf(device, isOnline)).remote_address).toContain('127.0.0.1')
    client.send({ cmd: 'disconnect' })
    await expect(client.closed).resolves.toBeUndefined()
    expect((await gateway.connectionOf(device, isOffline)).disconnect_reason).toBe('client_disconnected')
    const again = await gateway.raw(device)
    await gateway.connectionOf(device, isOnline)
    again.socket.destroy()
    expect(
      (await gateway.connectionOf(device, (row) => row.disconnect_reason === 'connection_lost')).connected,
    ).toBe(false)
  })

  test('a device that came back at once is online', async () => {
    const device = await gateway.makeDevice()
    for (let round = 0; round < 20; round++) {
      const client = await gateway.raw(device)
      if (round < 19) client.socket.destroy()
    }
    await gateway.connectionOf(device, isOnline)
    const marker = await gateway.makeDevice()
    await gateway.raw(marker)
    // Written after everything that came before it.
    await gateway.connectionOf(marker, isOnline)
    expect((await gateway.connectionOf(device, () => true)).connected).toBe(true)
  })

  test('of two sessions the last one counts', async () => {
    const device = await gateway.makeDevice()
    const [one, two] = [
      await gateway.raw(device, { clientId: '1' }),
      await gateway.raw(device, { clientId: '2' }),
    ]
    one.send({ cmd: 'disconnect' })
    await one.closed
    await gateway.connectionOf(
      device,
      (row) => row.connected && row.disconnect_reason === 'client_disconnected',
    )
    two.send({ cmd: 'disconnect' })
    await two.closed
    expect((await gateway.connectionOf(device, isOffline)).disconnect_reason).toBe('client_disconnected')
  })

  test('a session that ends here says nothing about one that the client has at another node by now', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await gateway.connectionOf(device, isOnline)
    const { pool } = gateway.database
    await connectClients(pool, [device.number], await insertNode(pool))
    client.socket.destroy()
    const row = await gateway.connectionOf(device, (one) => one.disconnect_reason === 'connection_lost')
    expect(row.connected).toBe(true)
  })

  test('a node that died says nothing about a client that is connected here by now', async () => {
    const device = await gateway.makeDevice()
    const { pool } = gateway.database
    const other = await insertNode(pool)
    await gateway.raw(device)
    await gateway.connectionOf(device, isOnline)
    await connectClients(pool, [device.number], other)
    // The other node is found dead, since nobody holds its lock.
    const row = await gateway.connectionOf(device, ({ node_ids }) => !node_ids.includes(other))
    expect(row).toMatchObject({ connected: true, disconnect_reason: null })
    expect(await listEvents(device)).toEqual(['connected'])
  })

  test('what is written late displaces nothing newer of another node', async () => {
    const device = await gateway.makeDevice()
    const { pool } = gateway.database
    await pool.query('insert into client_connections (client_number) values ($1)', [device.number])
    const other = await pool.connect()
    await other.query('begin')
    await other.query('select from client_connections where client_number = $1 for update', [device.number])
    const client = await gateway.raw(device)
    client.socket.destroy()
    await expect.poll(() => listEvents(device)).toEqual(['connected', 'connection_lost'])
    await other.query(
      `update client_connections set connected_at = clock_timestamp(), remote_address = '10.0.0.9',
         disconnected_at = clock_timestamp(), disconnect_reason = 'client_disconnected' where client_number = $1`,
      [device.number],
    )
    await other.query('commit')
    other.release()
    const marker = await gateway.makeDevice()
    await gateway.raw(marker)
    // Written after everything that came before it.
    await gateway.connectionOf(marker, isOnline)
    expect(await gateway.connectionOf(device, () => true)).toMatchObject({
      connected: false,
      remote_address: '10.0.0.9',
      disconnect_reason: 'client_disconnected',
    })
  })

  test('times that were stored before the clock was set back are replaced', async () => {
    const device = await gateway.makeDevice()
    await gateway.database.pool.query(
      `insert into client_connections (client_number, connected_at, remote_address, disconnected_at, disconnect_reason)
       values ($1, now() + interval '1 day', '10.0.0.9', now() + interval '1 day', 'client_disconnected')`,
      [device.number],
    )
    const client = await gateway.raw(device)
    expect((await gateway.connectionOf(device, isOnline)).remote_address).toContain('127.0.0.1')
    client.socket.destroy()
    await gateway.connectionOf(device, (row) => row.disconnect_reason === 'connection_lost')
  })

  test('devices of a node that was found dead wrongly are online again, which their events say', async () => {
    const [device, untouched] = [await gateway.makeDevice(), await gateway.makeDevice()]
    for (const each of [device, untouched]) {
      await gateway.raw(each)
      await gateway.connectionOf(each, isOnline)
    }
    const { pool } = gateway.database
    const { id } = gateway.ctx.nodes
    const beside = await startGateway({}, {}, gateway)
    await pool.query(
      `with dead as (update server_nodes set died_at = now() where id = $1)
       update client_connections set node_ids = array_remove(node_ids, $1) where client_number = $2`,
      [id, device.number],
    )
    expect((await gateway.connectionOf(device, isOnline)).disconnect_reason).toBe(null)
    await expect.poll(() => listEvents(device)).toEqual(['connected', 'connected'])
    expect(await listEvents(untouched)).toEqual(['connected'])
    await beside[Symbol.asyncDispose]()
  })

  test('a silent device is disconnected after 1.5 keep-alive times', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device, { keepalive: 1 })
    await expect(client.closed).resolves.toBeUndefined()
    await gateway.connectionOf(device, (row) => row.disconnect_reason === 'keep_alive_timeout')
  })

  test('rows that a dead process left behind are settled at the next start', async () => {
    const device = await gateway.makeDevice()
    const { pool } = gateway.database
    await connectClients(pool, [device.number], await insertNode(pool))
    await gateway.restart()
    const row = await gateway.connectionOf(device, ({ disconnect_reason: reason }) => reason !== null)
    expect(row).toMatchObject({ connected: false, disconnect_reason: 'server_stopped' })
  })
})

describe('sessions [docs/mqtt#sessions]', () => {
  test('the same client id of the same device displaces the old session', async () => {
    const device = await gateway.makeDevice()
    const old = await gateway.raw(device)
    const fresh = await gateway.raw(device)
    await old.closed
    await gateway.connectionOf(
      device,
      (row) => row.connected && row.disconnect_reason === 'session_taken_over',
    )
    fresh.send({ cmd: 'pingreq' })
    expect((await fresh.next()).cmd).toBe('pingresp')
  })

  test('the same client id of another device does not', async () => {
    const [one, two] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const first = await gateway.raw(one, { clientId: 'shared' })
    await gateway.raw(two, { clientId: 'shared' })
    await gateway.raw(two, { clientId: `${one.id}/shared` })
    first.send({ cmd: 'pingreq' })
    expect((await first.next()).cmd).toBe('pingresp')
    expect(gateway.ctx.liveSessions.list(one.id)).toHaveLength(1)
  })

  test('two sign-ins at one time with one client id leave one session', async () => {
    const device = await gateway.makeDevice()
    const clients = await Promise.all(
      Array.from({ length: 10 }, () => gateway.raw(device).catch(() => undefined)),
    )
    expect(clients.filter((client) => client !== undefined).length).toBeGreaterThan(0)
    await gateway.connectionOf(device, (row) => row.connected)
    expect(gateway.ctx.liveSessions.list(device.id)).toHaveLength(1)
  })
})

describe('a change of the client reaches its session, whichever process made it [docs/operating#several-servers]', () => {
  const change = (device: TestDevice, name: string, sql: string) =>
    gateway.database.pool.query(`with changed as (${sql.replaceAll('$device', `${device.number}`)})
      select pg_notify('gangway_client_changed', '${JSON.stringify({ clientId: device.id, change: name, message: 'Somebody did it.', nodeId: 'another' })}')`)
  const rotate = `update provider_clients set primary_key_hash = secondary_key_hash, secondary_key_hash = 'new'
    where number = $device returning 1`

  test.each([
    ['client_disabled', 'update provider_clients set enabled = false where number = $device returning 1'],
    ['keys_rotated', rotate],
  ])('%s ends it at once', async (name, sql) => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await change(device, name, sql)
    await expect(client.closed).resolves.toBeUndefined()
    const row = await gateway.connectionOf(device, isOffline)
    expect(row).toMatchObject({ disconnect_reason: name, disconnect_message: 'Somebody did it.' })
  })

  test('client_deleted ends it at once', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await change(device, 'client_deleted', 'delete from provider_clients where number = $device returning 1')
    await expect(client.closed).resolves.toBeUndefined()
  })

  test('a rotation leaves who signed in with the secondary key, which is the primary one then', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device, { password: Buffer.from(device.secondaryKey) })
    await change(device, 'keys_rotated', rotate)
    client.send({ cmd: 'pingreq' })
    expect((await client.next()).cmd).toBe('pingresp')
    await change(device, 'keys_rotated', rotate)
    await expect(client.closed).resolves.toBeUndefined()
    await gateway.connectionOf(device, (row) => row.disconnect_reason === 'keys_rotated')
  })

  test('what was changed while nobody could listen is made up for', async () => {
    const [disabled, kept] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const [client, other] = [await gateway.raw(disabled), await gateway.raw(kept)]
    await gateway.database.pool.query('update provider_clients set enabled = false where number = $1', [
      disabled.number,
    ])
    const database = await gateway.loseDatabase()
    await database.back()
    await expect(client.closed).resolves.toBeUndefined()
    await gateway.connectionOf(disabled, (row) => row.disconnect_reason === 'client_disabled')
    other.send({ cmd: 'pingreq' })
    expect((await other.next()).cmd).toBe('pingresp')
  })
})
