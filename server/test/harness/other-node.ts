/** Connections of clients to a node that is alive for the others, but never answers. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'

/** @returns the id of a node that nobody has found dead yet */
export async function insertNode(pool: Pool): Promise<string> {
  const id = randomUUID()
  await pool.query('insert into server_nodes (id) values ($1)', [id])
  return id
}

/** These clients have a session at the node besides others that they have. */
export const connectClients = (pool: Pool, clientNumbers: number[], nodeId: string): Promise<unknown> =>
  pool.query(
    `insert into client_connections (client_number, node_ids, connected_at)
     select number, array[$2::uuid], now() from unnest($1::int[]) as number
     on conflict (client_number) do update
     set node_ids = client_connections.node_ids || excluded.node_ids, connected_at = excluded.connected_at`,
    [clientNumbers, nodeId],
  )
