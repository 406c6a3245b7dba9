/** Nodes that hang, die and come back, as others see them. [docs/operating#sessions-and-presence] */
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { platformDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { connectClients, insertClients, insertNode } from '../../test/harness/other-node.ts'
import { holdNodeLock, nameConnections } from './node-lock.ts'
import { createNodes, joinNodes } from './nodes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await platformDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const readNode = async (id: string) =>
  (await query('select died_at is not null as dead from server_nodes where id = $1', [id]))[0]

async function start() {
  const nodes = createNodes({ pool: database.pool, db: database.db, log: testLog })
  const joined = await joinNodes(nodes)
  onTestFinished(() => joined[Symbol.asyncDispose]())
  return nodes
}

/** A node is alive again, and holds its lock until the test ends. */
async function hold(id: string) {
  const client = new pg.Client(database.pool.options)
  await client.on('error', () => {}).connect()
  onTestFinished(() => client.end())
  await holdNodeLock(client, id)
  await query('insert into server_nodes (id) values ($1)', [id])
}

/** A process that does nothing any more, with two connections to the database. */
async function startHungNode() {
  const id = await insertNode(database.pool)
  const config = { ...database.pool.options, application_name: nameConnections(id) }
  const clients = [new pg.Client(config), new pg.Client(config)] as const
  const ended = clients.map(
    (client) => new Promise<void>((resolve) => client.on('error', () => {}).once('end', () => resolve())),
  )
  for (const client of clients) await client.connect()
  await holdNodeLock(clients[0], id)
  return { id, working: clients[1], ended: Promise.all(ended) }
}

test('a node that hangs is found dead while it holds its connections, and what it had begun is rolled back', async () => {
  const [first, ...others] = await insertClients(database.pool, 1100)
  const hung = await startHungNode()
  const elsewhere = await start()
  await connectClients(database.pool, [first!, ...others], hung.id)
  await connectClients(database.pool, [first!], elsewhere.id)
  await hung.working.query('begin')
  await hung.working.query('update provider_clients set enabled = false where number = $1', [first])
  await hung.ended
  expect(await query('select enabled from provider_clients where number = $1', [first])).toEqual([
    { enabled: true },
  ])
  // More than one piece.
  await vi.waitFor(async () => expect(await readNode(hung.id)).toBe(undefined))
  expect(
    await query('select client_number from client_connections where $1 = any(node_ids)', [hung.id]),
  ).toEqual([])
  const ended = await query(
    `select node_ids, disconnect_reason as reason, (select count(*)::int from connection_events e
       where e.client_number = c.client_number and e.event = 'disconnected' and e.reason = 'server_stopped') as events
     from client_connections c order by client_number`,
  )
  expect(ended).toHaveLength(1100)
  // It works again with the beat that it had.
  await hold(hung.id)
  const beat = async () =>
    Number((await query('select beat from server_nodes where id = $1', [elsewhere.id]))[0]!.beat)
  const since = await beat()
  await vi.waitFor(async () => expect(await beat()).toBeGreaterThan(since + 2))
  expect(await readNode(hung.id)).toEqual({ dead: false })
  expect(ended.map(({ node_ids }) => node_ids)).toEqual([[elsewhere.id], ...others.map(() => [])])
  // One of them is connected to another node, and was not disconnected for anybody.
  for (const [index, row] of ended.entries())
    expect(row).toMatchObject(
      index === 0 ? { reason: null, events: 0 } : { reason: 'server_stopped', events: 1 },
    )
})

test('a node that was killed is found dead, but by none that has just connected: others may be about to connect, too', async () => {
  const observer = await start()
  const beat = async () =>
    (await query('select beat::int from server_nodes where id = $1', [observer.id]))[0]!.beat as number
  const isForgotten = async (id: string) => (await readNode(id)) === undefined
  const before = await insertNode(database.pool)
  await vi.waitUntil(() => isForgotten(before))
  // A beat every 1.5 s: 12 s.
  expect(await beat()).toBeGreaterThanOrEqual(8)
  // Later it need not wait for that.
  const killed = await insertNode(database.pool)
  await vi.waitUntil(() => isForgotten(killed))

  const away = await insertNode(database.pool)
  const since = await beat()
  await query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 1734438503
       and database = (select oid from pg_database where datname = current_database())`,
  )
  await vi.waitUntil(() => isForgotten(away))
  expect(await beat()).toBeGreaterThanOrEqual(since + 8)
  expect(await readNode(observer.id)).toEqual({ dead: false })
})

test('the node that a database is embedded in finds the nodes before it dead when it starts', async () => {
  const before = await insertNode(database.pool)
  const nodes = createNodes({ pool: database.pool, db: database.db, log: testLog, isOnlyNode: true })
  const joined = await joinNodes(nodes)
  onTestFinished(() => joined[Symbol.asyncDispose]())
  // Its row is deleted once its clients are written.
  expect((await readNode(before))?.dead).not.toBe(false)
})

test('a node that leaves counts as dead at once', async () => {
  const nodes = createNodes({ pool: database.pool, db: database.db, log: testLog })
  const joined = await joinNodes(nodes)
  expect(await readNode(nodes.id)).toEqual({ dead: false })
  expect(nodes.liveness.isCertain()).toBe(true)
  await joined[Symbol.asyncDispose]()
  expect((await readNode(nodes.id))?.dead).not.toBe(false)
  await vi.waitFor(() => expect(nodes.liveness.isCertain()).toBe(false))
})

test('a node that was found dead wrongly says so once it works again', async () => {
  const node = await start()
  const other = await start()
  const revived = vi.fn<() => void>()
  node.liveness.onRevived.push(revived)
  await query('update server_nodes set died_at = now() where id = $1', [node.id])
  await vi.waitFor(async () => expect(await readNode(node.id)).toEqual({ dead: false }))
  await vi.waitFor(() => expect(revived).toHaveBeenCalledTimes(1))
  // The row may be gone by then.
  await query('delete from server_nodes where id = $1', [node.id])
  await vi.waitFor(async () => expect(await readNode(node.id)).toEqual({ dead: false }))
  await vi.waitFor(() => expect(revived).toHaveBeenCalledTimes(2))
  expect(await readNode(other.id)).toEqual({ dead: false })
})

test('nodes that lose their connections for a moment are not dead', async () => {
  const [one, two] = [await start(), await start()]
  const revived = vi.fn<() => void>()
  for (const { liveness } of [one, two]) liveness.onRevived.push(revived)
  const beats = async () =>
    (await query('select beat::int from server_nodes where id = any($1)', [[one.id, two.id]])).map(
      ({ beat }) => beat as number,
    )
  await query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = 1734438503 and database = (select oid from pg_database where datname = current_database())`,
  )
  const before = await beats()
  await vi.waitFor(async () =>
    (await beats()).forEach((beat, index) => expect(beat).toBeGreaterThan(before[index]! + 4)),
  )
  expect(revived).not.toHaveBeenCalled()
})
