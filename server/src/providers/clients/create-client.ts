import type { Kysely } from 'kysely'
import { requirePermission, requirePrivilegeIn } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import type { Properties } from '../twin/merge-patch.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
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
  /** Defaults to the provider's organization. [docs/providers#clients] */
  organizationId?: string
  providerData?: Properties
}

/**
 * @returns undefined when the provider has a client with that id already
 * @throws forbidden; not_found for the provider or organization; provider_rejected when the id is not available
 */
export async function createClient(
  ctx: Context,
  caller: Caller,
  providerId: string,
  client: NewClient,
): Promise<ClientRow | undefined> {
  const { tenantId } = caller
  const provider = await getProvider(ctx.db, tenantId, providerId)
  const kind = getProviderKind(provider.type)
  const organizationId = client.organizationId ?? provider.organization_id
  await requirePrivilegeIn(ctx, caller, 'provider_client_management', organizationId)
  // Another organization may use the provider only if it is shared with that organization.
  if (organizationId !== provider.organization_id)
    await requirePermission(ctx, caller, 'view', { type: 'provider', id: providerId })
  const { providerData = {} } = client
  checkProviderData(ctx, providerData, 'providerData')
  const ref = { tenantId, providerId, clientId: client.id }
  const enabled = client.enabled ?? true
  if (kind.remote) {
    // Checked before the remote call, which would otherwise create a device without a client, or enable an existing one.
    await requireAvailableId(ctx.db, ref)
    if (await findClient(ctx.db, ref)) return undefined
  }
  const columns = await kind.createClient(ctx, { ...ref, enabled })
  const row = {
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
  }
  return ctx.db.transaction().execute((tx) => insertAudited(tx, caller, ref, row))
}

async function insertAudited(
  tx: Kysely<Tables>,
  caller: Caller,
  ref: ClientRef,
  row: Parameters<typeof insertClient>[1],
): Promise<ClientRow | undefined> {
  if (!(await insertClient(tx, row))) {
    await requireAvailableId(tx, ref)
    return undefined
  }
  const client = await getClient(tx, ref)
  await recordAudit(tx, caller, {
    action: 'create',
    resourceType: 'provider_client',
    resourceId: client.id,
    after: clientFields(client),
  })
  return client
}

/** @throws provider_rejected when the id is not available */
async function requireAvailableId(
  db: Kysely<Tables>,
  { tenantId, providerId, clientId }: ClientRef,
): Promise<void> {
  const [problem] = await listIdProblems(db, tenantId, providerId, [clientId])
  if (problem) throw new ApiError('provider_rejected', problem.message, { clientId })
}
