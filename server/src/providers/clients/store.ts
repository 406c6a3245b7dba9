import { type Expression, type Insertable, type Kysely, sql, type SqlBool, type Updateable } from 'kysely'
import { deleteRelationsOfObjects, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { isOnline } from '../is-online.ts'
import { installed } from './installed-firmware.ts'

export interface ClientRef {
  tenantId: string
  providerId: string
  clientId: string
}

export type ClientRow = NonNullable<Awaited<ReturnType<typeof findClient>>>

/** All columns except the keys, which have their own store. */
const selectClients = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('provider_clients as client')
    .innerJoin('providers as provider', (join) =>
      join
        .onRef('provider.tenant_id', '=', 'client.tenant_id')
        .onRef('provider.id', '=', 'client.provider_id'),
    )
    .leftJoin('client_connections as connection', 'connection.client_number', 'client.number')
    .leftJoin('client_activity as activity', 'activity.client_number', 'client.number')
    .select([
      'client.number',
      'client.id',
      'client.provider_id',
      'provider.type as provider_type',
      'client.organization_id',
      'client.display_name',
      'client.description',
      'client.enabled',
      'client.template_id',
      'client.template_applied',
      'client.provider_data',
      'client.on_broker',
      isOnline('connection').as('connected'),
      'connection.connected_at',
      'connection.remote_address',
      'connection.disconnected_at',
      'connection.disconnect_reason',
      'connection.disconnect_message',
      'connection.refused_at',
      'connection.refused_reason',
      'activity.last_message_at',
      installed(sql<string>`installed.plan ->> 'releaseName'`).as('firmware_release'),
    ])
    .where('client.tenant_id', '=', tenantId)

const selectClient = (db: Kysely<Tables>, { tenantId, providerId, clientId }: ClientRef) =>
  selectClients(db, tenantId).where('client.provider_id', '=', providerId).where('client.id', '=', clientId)

export const findClient = (db: Kysely<Tables>, ref: ClientRef) => selectClient(db, ref).executeTakeFirst()

export const getClient = async (db: Kysely<Tables>, ref: ClientRef): Promise<ClientRow> =>
  orNotFound(await findClient(db, ref), 'provider client', ref.clientId)

/** Locks the client against other changes until the transaction ends; rows that refer to it can still be written. */
export const getClientForUpdate = async (tx: Kysely<Tables>, ref: ClientRef): Promise<ClientRow> =>
  orNotFound(
    await selectClient(tx, ref).forNoKeyUpdate('client').executeTakeFirst(),
    'provider client',
    ref.clientId,
  )

/**
 * Returns one row more than the page's limit if there are more. Without a provider it lists the clients of all
 * providers.
 */
export const listClients = (
  db: Kysely<Tables>,
  tenantId: string,
  { providerId, visible, page }: { providerId?: string; visible: Expression<SqlBool>; page: PageRequest },
): Promise<ClientRow[]> =>
  pageAfter(
    selectClients(db, tenantId)
      .$if(providerId !== undefined, (q) => q.where('client.provider_id', '=', providerId!))
      .where(visible),
    'client.id',
    page,
  )

/** @returns false when the id is in use, by this or another tenant */
export async function insertClient(
  tx: Kysely<Tables>,
  row: Insertable<Tables['provider_clients']>,
): Promise<boolean> {
  const inserted = await tx
    .insertInto('provider_clients')
    .values(row)
    .onConflict((oc) => oc.doNothing())
    .returning('number')
    .executeTakeFirst()
  if (inserted) await insertParent(tx, 'provider_client', row)
  return inserted !== undefined
}

type ClientChanges = Pick<
  Updateable<Tables['provider_clients']>,
  'display_name' | 'description' | 'enabled' | 'template_id' | 'template_applied' | 'provider_data'
>

/** @param changes undefined fields keep their values */
export async function updateClient(
  tx: Kysely<Tables>,
  ref: ClientRef,
  changes: ClientChanges,
): Promise<ClientRow> {
  await tx
    .updateTable('provider_clients')
    .set({ ...changes, updated_at: new Date() })
    .where('tenant_id', '=', ref.tenantId)
    .where('provider_id', '=', ref.providerId)
    .where('id', '=', ref.clientId)
    .execute()
  return getClient(tx, ref)
}

/** Returns the clients that exist, and locks them like `getClientForUpdate`. */
export const listClientsForUpdate = (
  tx: Kysely<Tables>,
  { tenantId, providerId }: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<ClientRow[]> =>
  selectClients(tx, tenantId)
    .where('client.provider_id', '=', providerId)
    .where('client.id', '=', (eb) => eb.fn.any(eb.val(clientIds)))
    .orderBy('client.id')
    .forNoKeyUpdate('client')
    .execute()

/** Also deletes their relations. */
export async function deleteClients(
  tx: Kysely<Tables>,
  { tenantId, providerId }: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<void> {
  await tx
    .deleteFrom('provider_clients')
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(clientIds)))
    .execute()
  await deleteRelationsOfObjects(tx, tenantId, 'provider_client', clientIds)
}

/** Lists the clients whose ids a new client of this tenant cannot use: those of the tenant, and those on the broker. */
export const listConflictingClients = (db: Kysely<Tables>, tenantId: string, clientIds: string[]) =>
  db
    .selectFrom('provider_clients')
    .select(['id', 'tenant_id', 'provider_id'])
    .where('id', '=', (eb) => eb.fn.any(eb.val(clientIds)))
    .where((eb) => eb.or([eb('tenant_id', '=', tenantId), eb('on_broker', '=', true)]))
    .execute()
