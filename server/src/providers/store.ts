import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError, orNotFound } from '../http/errors.ts'
import type { ProviderRow } from '../database/tables/providers.ts'
import type { PageRequest } from '../http/page.ts'
import type { ProviderType } from './provider-type.ts'

export interface NewProvider {
  id: string
  type: ProviderType
  displayName: string
  description?: string | null
  organizationId: string
  providerData?: Record<string, unknown>
  connectionStringSealed?: Buffer
}

const selectProvider = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('providers').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** Locks the provider until the transaction ends; no client can be added in the meantime. */
export const findProviderForUpdate = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<ProviderRow | undefined> => selectProvider(tx, tenantId, id).forUpdate().executeTakeFirst()

export async function getProvider(db: Kysely<Tables>, tenantId: string, id: string): Promise<ProviderRow> {
  return orNotFound(await selectProvider(db, tenantId, id).executeTakeFirst(), 'provider', id)
}

/** Returns one row more than the page's limit if there are more. */
export const listProviders = (
  db: Kysely<Tables>,
  tenantId: string,
  {
    visible,
    filter,
    page,
  }: { visible: Expression<SqlBool>; filter: { type?: ProviderType }; page: PageRequest },
): Promise<ProviderRow[]> =>
  pageAfter(
    db
      .selectFrom('providers')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where(visible)
      .$if(filter.type !== undefined, (q) => q.where('type', '=', filter.type!)),
    'id',
    page,
  )

/**
 * @param tx a transaction; the organization must belong to the tenant
 * @throws conflict when the tenant has a provider with that id
 */
export async function insertProvider(
  tx: Kysely<Tables>,
  tenantId: string,
  provider: NewProvider,
): Promise<ProviderRow> {
  const row = await tx
    .insertInto('providers')
    .values({
      tenant_id: tenantId,
      id: provider.id,
      type: provider.type,
      display_name: provider.displayName,
      description: provider.description ?? null,
      organization_id: provider.organizationId,
      provider_data: provider.providerData && JSON.stringify(provider.providerData),
      connection_string_sealed: provider.connectionStringSealed,
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row)
    throw new ApiError(
      'conflict',
      `The provider ${provider.id} exists already. Use another id, or PUT to change it.`,
    )
  await insertParent(tx, 'provider', row)
  return row
}

export const updateProvider = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  changes: {
    displayName: string
    description: string | null
    providerData?: Record<string, unknown>
    connectionStringSealed?: Buffer
  },
): Promise<ProviderRow> =>
  tx
    .updateTable('providers')
    .set({
      display_name: changes.displayName,
      description: changes.description,
      provider_data: changes.providerData && JSON.stringify(changes.providerData),
      connection_string_sealed: changes.connectionStringSealed,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * @param tx a transaction
 * @throws not_found, and conflict while the provider has clients
 */
export async function deleteProvider(tx: Kysely<Tables>, tenantId: string, id: string): Promise<ProviderRow> {
  const row = orNotFound(await findProviderForUpdate(tx, tenantId, id), 'provider', id)
  const client = await tx
    .selectFrom('provider_clients')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (client) throw new ApiError('conflict', `The provider ${id} still has clients. Delete them first.`)
  await tx.deleteFrom('providers').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'provider', id)
  return row
}
