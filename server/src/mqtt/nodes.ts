/**
 * Several processes may share one database. Each holds an advisory lock on its node id for as long as its connection
 * lives, so that the clients of one that died without a word can be told from the clients of one that runs.
 */
import type pg from 'pg'

const LOCK = `hashtextextended('gangway node ' || $1::text, 0)`

export const holdNodeLock = (client: pg.Client, nodeId: string): Promise<unknown> =>
  client.query(`select pg_advisory_lock(${LOCK})`, [nodeId])

/** Clients that are on record as connected to a node that nobody is. */
export async function settleDeadNodes(client: pg.Client, nodeId: string): Promise<void> {
  const { rows } = await client.query<{ node_id: string }>(
    'select distinct node_id from client_connections where connected and node_id <> $1',
    [nodeId],
  )
  for (const { node_id } of rows)
    await client.query(
      `update client_connections
       set connected = false, disconnected_at = now(), disconnect_reason = 'server_stopped',
         disconnect_message = 'The server stopped without closing its connections.'
       where connected and node_id = $1::uuid and pg_try_advisory_xact_lock(${LOCK})`,
      [node_id],
    )
}
