import type { Kysely } from 'kysely'
import { type Actor, recordAudit } from '../audit/record.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { getOrganization } from '../organizations/get-organization.ts'
import { providerShape, type PutProvider } from './schema.ts'
import { findProviderForUpdate, insertProvider, type ProviderRow, updateProvider } from './store.ts'

/**
 * Creates or updates. [contract §4]
 * @throws validation_error when it would create without `type` or `organizationId`; conflict when it would change them
 */
export const putProvider = (
  db: Kysely<Tables>,
  actor: Actor,
  id: string,
  body: PutProvider,
): Promise<ProviderRow> =>
  db.transaction().execute(async (tx) => {
    const found = await findProviderForUpdate(tx, actor.tenantId, id)
    const row = found ? await update(tx, found, body) : await create(tx, actor.tenantId, id, body)
    await recordAudit(tx, actor, {
      action: found ? 'update' : 'create',
      resourceType: 'provider',
      resourceId: id,
      before: found && providerShape(found),
      after: providerShape(row),
    })
    return row
  })

async function create(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  { type, organizationId, ...rest }: PutProvider,
) {
  if (!type) throw validationError({ path: 'type', message: 'is needed to create a provider' })
  if (!organizationId)
    throw validationError({ path: 'organizationId', message: 'is needed to create a provider' })
  await getOrganization(tx, tenantId, organizationId)
  return insertProvider(tx, tenantId, { id, type, organizationId, ...rest })
}

async function update(tx: Kysely<Tables>, found: ProviderRow, body: PutProvider) {
  for (const [field, was, wanted] of [
    ['type', found.type, body.type],
    ['organizationId', found.organization_id, body.organizationId?.toLowerCase()],
  ] as const)
    if (wanted !== undefined && wanted !== was)
      throw new ApiError(
        'conflict',
        `The ${field} of a provider cannot change. Delete the provider and create it anew.`,
        { field },
      )
  return updateProvider(tx, found.tenant_id, found.id, {
    displayName: body.displayName,
    description: body.description === undefined ? found.description : body.description,
  })
}
