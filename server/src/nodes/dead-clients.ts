/**
 * Writes into the rows of a dead node's clients what already holds for them: that they are not connected to it. A client
 * that has connected to another node meanwhile was not disconnected for anybody, so that nothing else is written for it.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { newId } from '../lib/ids.ts'

/** The rows of one transaction, which limits how long locks are held and other writes wait. */
const BATCH = 1000
const REASON = 'server_stopped'
const MESSAGE = 'The server stopped without closing its connections.'

/**
 * Goes through the clients in pieces, and forgets the node at the end. A node that works again meanwhile keeps its
 * clients: then the rest stays as it is.
 */
export async function disconnectClientsOfDeadNode(db: Kysely<Tables>, nodeId: string): Promise<void> {
  for (let after: number | undefined = -1; after !== undefined;)
    after = await disconnectPiece(db, nodeId, after)
  await sql`delete from server_nodes where id = ${nodeId}::uuid and died_at is not null`.execute(db)
}

/** @returns the last client of a full piece */
const disconnectPiece = (db: Kysely<Tables>, nodeId: string, after: number): Promise<number | undefined> =>
  db.transaction().execute(async (tx) => {
    const { rows: dead } = await sql<{ died_at: Date }>`
      select died_at from server_nodes where id = ${nodeId}::uuid and died_at is not null for share`.execute(
      tx,
    )
    if (dead.length === 0) return undefined
    const { rows } = await sql<{ number: number }>`
      select client_number as number from client_connections
      where client_number > ${after} and ${nodeId}::uuid = any(node_ids)
      order by client_number limit ${BATCH}`.execute(tx)
    const numbers = rows.map(({ number }) => number)
    const connections = await lockConnections(tx, nodeId, numbers)
    await removeNode(
      tx,
      nodeId,
      connections.map(({ number }) => number),
    )
    const offline = connections.filter(({ isElsewhere }) => !isElsewhere).map(({ number }) => number)
    await markDisconnected(tx, offline, dead[0]!.died_at)
    return rows.length === BATCH ? numbers.at(-1) : undefined
  })

/**
 * Clients are locked before their connections, as a deletion of a client does, to avoid a deadlock: the events refer to them.
 * @returns with `isElsewhere` where the client has a session at another node, or had one at a node whose death is still
 *   to be written
 */
async function lockConnections(tx: Kysely<Tables>, nodeId: string, clientNumbers: number[]) {
  await sql`
    select from provider_clients where number = any(${clientNumbers}::int[]) order by number for key share`.execute(
    tx,
  )
  const { rows } = await sql<{ number: number; isElsewhere: boolean }>`
    select client_number as number,
      node_ids && array(select id from server_nodes where id <> ${nodeId}::uuid) as "isElsewhere"
    from client_connections where client_number = any(${clientNumbers}::int[]) and ${nodeId}::uuid = any(node_ids)
    order by client_number for no key update`.execute(tx)
  return rows
}

const removeNode = (tx: Kysely<Tables>, nodeId: string, clientNumbers: number[]) =>
  sql`
    update client_connections set node_ids = array_remove(node_ids, ${nodeId}::uuid)
    where client_number = any(${clientNumbers}::int[])`.execute(tx)

async function markDisconnected(tx: Kysely<Tables>, clientNumbers: number[], diedAt: Date): Promise<void> {
  if (clientNumbers.length === 0) return
  await sql`
    update client_connections set disconnected_at = ${diedAt}, disconnect_reason = ${REASON}, disconnect_message = ${MESSAGE}
    where client_number = any(${clientNumbers}::int[])`.execute(tx)
  await sql`
    insert into connection_events (id, client_number, event, at, reason, message)
    select id, client_number, 'disconnected', ${diedAt}, ${REASON}, ${MESSAGE}
    from unnest(${clientNumbers.map(newId)}::uuid[], ${clientNumbers}::int[]) as ended (id, client_number)`.execute(
    tx,
  )
}
