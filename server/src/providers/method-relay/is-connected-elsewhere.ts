import { sql } from 'kysely'
import type { Runtime } from '../../runtime.ts'

/** Whether another node that works holds a session of the device, according to the database. @param clientId a client on the broker */
export async function isConnectedElsewhere(
  { db, nodes }: Pick<Runtime, 'db' | 'nodes'>,
  clientId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('client_connections')
    .innerJoin('provider_clients', 'number', 'client_number')
    .select('client_number')
    .where('id', '=', clientId)
    .where('on_broker', '=', true)
    .where(
      sql<boolean>`node_ids && array(select id from server_nodes where died_at is null and id <> ${nodes.id}::uuid)`,
    )
    .executeTakeFirst()
  return row !== undefined
}
