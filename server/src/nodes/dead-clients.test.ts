/** Clients of a dead node are recorded as disconnected. [docs/operating#sessions-and-presence] */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { platformDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { connectClients, insertClients, insertNode } from '../../test/harness/other-node.ts'
import { disconnectClientsOfDeadNode } from './dead-clients.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await platformDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const die = (nodeId: string) => query('update server_nodes set died_at = now() where id = $1', [nodeId])
const countEvents = async (clientNumber: number) =>
  (await query('select count(*)::int from connection_events where client_number = $1', [clientNumber]))[0]!
    .count
const statementsWait = (count: number) =>
  vi.waitUntil(async () => {
    const waiting = await query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return waiting.length === count
  })

test('a client is disconnected once by the deaths of several nodes', async () => {
  const [client] = await insertClients(database.pool, 1)
  const nodes = [await insertNode(database.pool), await insertNode(database.pool)]
  for (const node of nodes) await connectClients(database.pool, [client!], node)
  for (const node of nodes) await die(node)
  await disconnectClientsOfDeadNode(database.db, nodes[0]!)
  expect(await countEvents(client!)).toBe(0)
  await disconnectClientsOfDeadNode(database.db, nodes[1]!)
  expect(await countEvents(client!)).toBe(1)
  expect(
    await query('select node_ids, disconnect_reason from client_connections where client_number = $1', [
      client,
    ]),
  ).toEqual([{ node_ids: [], disconnect_reason: 'server_stopped' }])
})

test('a deletion of a client at the same time waits, and is no deadlock', async () => {
  const [deleted, held] = await insertClients(database.pool, 2)
  const node = await insertNode(database.pool)
  await connectClients(database.pool, [deleted!, held!], node)
  await die(node)
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('select from client_connections where client_number = $1 for update', [held])
  // It holds what it has locked until then.
  const settled = disconnectClientsOfDeadNode(database.db, node)
  await statementsWait(1)
  const deletion = query('delete from provider_clients where number = $1', [deleted])
  await statementsWait(2)
  await holder.query('commit')
  holder.release()
  await settled
  await deletion
  expect(await countEvents(held!)).toBe(1)
  expect(await query('select from server_nodes where id = $1', [node])).toEqual([])
})
