/** Writes into the rows of a dead node's clients what already holds for them: that they are not connected to it. */
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
      order by client_number limit ${BATCH} for no key update`.execute(tx)
    const numbers = rows.map(({ number }) => number)
    if (numbers.length > 0) await markDisconnected(tx, nodeId, numbers, dead[0]!.died_at)
    return rows.length === BATCH ? numbers.at(-1) : undefined
  })

async function markDisconnected(
  tx: Kysely<Tables>,
  nodeId: string,
  clientNumbers: number[],
  diedAt: Date,
): Promise<void> {
  await sql`
    update client_connections set node_ids = array_remove(node_ids, ${nodeId}::uuid), disconnected_at = ${diedAt},
      disconnect_reason = ${REASON}, disconnect_message = ${MESSAGE}
    where client_number = any(${clientNumbers}::int[])`.execute(tx)
  await sql`
    insert into connection_events (id, client_number, event, at, reason, message)
    select id, client_number, 'disconnected', ${diedAt}, ${REASON}, ${MESSAGE}
    from unnest(${clientNumbers.map(newId)}::uuid[], ${clientNumbers}::int[]) as ended (id, client_number)`.execute(
    tx,
  )
}
