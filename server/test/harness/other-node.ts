/** Connections of clients to a node that is alive for the others, but never answers. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'

/** @returns the id of a node that nobody has found dead yet */
export async function insertNode(pool: Pool): Promise<string> {
  const id = randomUUID()
  await pool.query('insert into server_nodes (id) values ($1)', [id])
  return id
}

/** @returns the numbers of new clients of the broker */
export async function insertClients(pool: Pool, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ number: number }>(
    `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
     select 'default', 'mqtt', gen_random_uuid()::text, organizations.id, 'client', true
     from generate_series(1, $1), organizations where tenant_id = 'default' and parent_organization_id is null
     returning number`,
    [count],
  )
  return rows.map(({ number }) => number)
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
