import type pg from 'pg'
import { NODE_IS_DEAD } from './node-lock.ts'

/** Marks the clients of dead nodes as disconnected. */
export async function disconnectClientsOfDeadNodes(client: pg.Client, nodeId: string): Promise<void> {
  const { rows } = await client.query<{ node_id: string }>(
    'select distinct node_id from client_connections where connected and node_id <> $1',
    [nodeId],
  )
  for (const { node_id } of rows)
    await client.query(
      `update client_connections
       set connected = false, disconnected_at = now(), disconnect_reason = 'server_stopped',
         disconnect_message = 'The server stopped without closing its connections.'
       where connected and node_id = $1::uuid and ${NODE_IS_DEAD}`,
      [node_id],
    )
}
