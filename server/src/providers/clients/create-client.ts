import type { Kysely } from 'kysely'
import { requirePermission, requirePrivilegeIn } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import type { Properties } from '../twin/merge-patch.ts'
import { kindOf } from '../kinds/kind-of.ts'
import { getProvider } from '../store.ts'
import { checkProviderData } from './provider-data.ts'
import { clientFields } from './schema.ts'
import { type ClientRef, type ClientRow, findClient, getClient, insertClient } from './store.ts'
import { listIdProblems } from './id-problems.ts'

export interface NewClient {
  id: string
  displayName: string
  description?: string | null
  enabled?: boolean
  /** Without it the client belongs to the provider's organization. [docs/providers#clients] */
  organizationId?: string
  providerData?: Properties
}

/**
 * @returns nothing when the provider has a client of that id already
 * @throws forbidden; not_found for the provider or organization; provider_rejected when the id belongs elsewhere
 */
export async function createClient(
  ctx: Context,
  caller: Caller,
  providerId: string,
  client: NewClient,
): Promise<ClientRow | undefined> {
  const { tenantId } = caller
  const provider = await getProvider(ctx.db, tenantId, providerId)
  const kind = kindOf(provider.type)
  const organizationId = client.organizationId ?? provider.organization_id
  await requirePrivilegeIn(ctx, caller, 'provider_client_management', organizationId)
  // Another organization may use the provider once it is shared with it.
  if (organizationId !== provider.organization_id)
    await requirePermission(ctx, caller, 'view', { type: 'provider', id: providerId })
  const { providerData = {} } = client
  checkProviderData(ctx, providerData, 'providerData')
  const ref = { tenantId, providerId, clientId: client.id }
  const enabled = client.enabled ?? true
  if (kind.remote) {
    // Not found out afterwards, where that would leave a device that is nobody's, or enable one that is there.
    await refuseTaken(ctx.db, ref)
    if (await findClient(ctx.db, ref)) return undefined
  }
  const columns = await kind.createClient(ctx, { ...ref, enabled })
  return ctx.db.transaction().execute(async (tx) => {
    const inserted = await insertClient(tx, {
      tenant_id: tenantId,
      provider_id: providerId,
      id: client.id,
      organization_id: organizationId,
      display_name: client.displayName,
      description: client.description ?? null,
      enabled,
      on_broker: kind.onBroker,
      provider_data: JSON.stringify(providerData),
      ...columns,
    })
    if (!inserted) {
      await refuseTaken(tx, ref)
      return undefined
    }
    const row = await getClient(tx, ref)
    const after = clientFields(row)
    await recordAudit(tx, caller, {
      action: 'create',
      resourceType: 'provider_client',
      resourceId: row.id,
      after,
    })
    return row
  })
}

/** @throws provider_rejected when the id belongs elsewhere */
async function refuseTaken(db: Kysely<Tables>, { tenantId, providerId, clientId }: ClientRef): Promise<void> {
  const [problem] = await listIdProblems(db, tenantId, providerId, [clientId])
  if (problem) throw new ApiError('provider_rejected', problem.message, { clientId })
}
