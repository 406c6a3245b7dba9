import { recordAudit, type Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { getOrganization } from '../../organizations/get-organization.ts'
import { kindOf } from '../kinds/kind-of.ts'
import { getProvider } from '../store.ts'
import { clientFields } from './schema.ts'
import { type ClientRow, getClient, insertClient } from './store.ts'
import { listIdProblems } from './id-problems.ts'

export interface NewClient {
  id: string
  displayName: string
  description?: string | null
  enabled?: boolean
  /** Without it the client belongs to the provider's organization. [contract §4] */
  organizationId?: string
}

/**
 * @returns nothing when the provider has a client of that id already
 * @throws not_found for the provider or organization; provider_rejected when the id belongs elsewhere
 */
export async function createClient(
  ctx: Context,
  actor: Actor,
  providerId: string,
  client: NewClient,
): Promise<ClientRow | undefined> {
  const { tenantId } = actor
  const provider = await getProvider(ctx.db, tenantId, providerId)
  const kind = kindOf(provider.type)
  if (client.organizationId) await getOrganization(ctx.db, tenantId, client.organizationId)
  const columns = await kind.createClient(ctx, { tenantId, clientId: client.id })
  return ctx.db.transaction().execute(async (tx) => {
    const inserted = await insertClient(tx, {
      tenant_id: tenantId,
      provider_id: providerId,
      id: client.id,
      organization_id: client.organizationId ?? provider.organization_id,
      display_name: client.displayName,
      description: client.description ?? null,
      enabled: client.enabled ?? true,
      on_broker: kind.onBroker,
      ...columns,
    })
    if (!inserted) {
      const [problem] = await listIdProblems(tx, tenantId, providerId, [client.id])
      if (problem) throw new ApiError('provider_rejected', problem.message, { clientId: client.id })
      return undefined
    }
    const row = await getClient(tx, { tenantId, providerId, clientId: client.id })
    const after = clientFields(row)
    await recordAudit(tx, actor, {
      action: 'create',
      resourceType: 'provider_client',
      resourceId: row.id,
      after,
    })
    return row
  })
}
