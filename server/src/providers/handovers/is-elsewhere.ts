import type { Runtime } from '../../runtime.ts'

/** Another process holds the device's session, as far as is on record. @param clientId of a client of the broker */
export async function isElsewhere(
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
