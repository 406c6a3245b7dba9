import type { Runtime } from '../../runtime.ts'

/** Whether another node holds a session of the device, according to the database. @param clientId a client on the broker */
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
    .where('connected', '=', true)
    .where('node_id', '!=', nodes.id)
    .executeTakeFirst()
  return row !== undefined
}
