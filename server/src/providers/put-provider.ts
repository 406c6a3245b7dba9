import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { accessIn } from '../access/decisions/decisions.ts'
import { requirePermission, requirePrivilegeIn } from '../access/require.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { runClientChange } from './clients/client-changes.ts'
import { sealNewConnection, auditConnectionString } from './connection-string.ts'
import { providerShape, type PutProvider } from './schema.ts'
import type { ProviderRow } from '../database/tables/providers.ts'
import { findProviderForUpdate, insertProvider, updateProvider } from './store.ts'

/**
 * Creates or updates a provider. [docs/providers#provider-types]
 * @throws forbidden; validation_error when creating without `type` or `organizationId`; conflict when changing one of them
 */
export const putProvider = (
  ctx: Context,
  caller: Caller,
  id: string,
  body: PutProvider,
): Promise<ProviderRow> =>
  runClientChange(ctx, async (tx, announce) => {
    ctx.parsers.of(body.providerData?.parser, 'providerData.parser')
    const found = await findProviderForUpdate(tx, caller.tenantId, id)
    const row = found
      ? await update(ctx, tx, { caller, found, body })
      : await create(ctx, tx, { caller, id, body })
    await recordAudit(tx, caller, {
      action: found ? 'update' : 'create',
      resourceType: 'provider',
      resourceId: id,
      before: found && providerShape(found),
      after: { ...providerShape(row), ...auditConnectionString(body) },
    })
    if (found && !isDeepStrictEqual(found.provider_data.parser, row.provider_data.parser))
      await announce({ change: 'provider_parser_changed' })
    return row
  })

async function create(
  ctx: Context,
  tx: Kysely<Tables>,
  {
    caller,
    id,
    body: { type, organizationId, connectionString, ...rest },
  }: { caller: Caller; id: string; body: PutProvider },
) {
  if (!type) throw validationError({ path: 'type', message: 'is required to create a provider' })
  if (!organizationId)
    throw validationError({ path: 'organizationId', message: 'is required to create a provider' })
  await requirePrivilegeIn(accessIn(tx), caller, 'provider_management', organizationId)
  const connectionStringSealed = sealNewConnection(
    ctx,
    { tenantId: caller.tenantId, id, type },
    connectionString,
  )
  return insertProvider(tx, caller.tenantId, { id, type, organizationId, connectionStringSealed, ...rest })
}

async function update(
  ctx: Context,
  tx: Kysely<Tables>,
  { caller, found, body }: { caller: Caller; found: ProviderRow; body: PutProvider },
) {
  await requirePermission(accessIn(tx), caller, 'manage', { type: 'provider', id: found.id })
  for (const [field, was, wanted] of [
    ['type', found.type, body.type],
    ['organizationId', found.organization_id, body.organizationId?.toLowerCase()],
  ] as const)
    if (wanted !== undefined && wanted !== was)
      throw new ApiError(
        'conflict',
        `The ${field} of a provider cannot be changed. Delete the provider and create it again.`,
        { field },
      )
  return updateProvider(tx, found.tenant_id, found.id, {
    displayName: body.displayName,
    description: body.description === undefined ? found.description : body.description,
    providerData: body.providerData,
    connectionStringSealed: sealNewConnection(
      ctx,
      { tenantId: found.tenant_id, id: found.id, type: found.type },
      body.connectionString,
    ),
  })
}
