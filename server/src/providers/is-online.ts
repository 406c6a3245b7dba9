/** Whether clients are connected, in statements. [docs/operating#sessions-and-presence] */
import { type RawBuilder, sql } from 'kysely'

const aliveNodes = sql`array(select id from server_nodes where died_at is null)`

/**
 * An expression: whether the client has a session at a node that works.
 * @param connection the alias of `client_connections`, which may have no row for the client
 */
export const isOnline = (connection: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${connection}.node_ids`)} && ${aliveNodes}, false)`
