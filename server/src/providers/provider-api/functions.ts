/**
 * The Provider API as functions, for an onboarding service in this process. Its HTTP routes do the same one by one;
 * here checks and credentials go in batches, since devices come in thousands. [contract §4, Provider API]
 */
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { createClient, type NewClient } from '../clients/create-client.ts'
import { type IdProblem, listIdProblems } from '../clients/id-problems.ts'
import { type DeviceKeys, openKeys } from '../credentials/device-keys.ts'
import { listSealedKeys } from '../credentials/store.ts'
import { kindOf } from '../kinds/kind-of.ts'
import { getProvider } from '../store.ts'

type Tenant = Pick<Actor, 'tenantId'>

export type Validation = { valid: true } | ({ valid: false } & IdProblem)

/**
 * Whether these ids can be clients of the provider, or are already.
 * @returns in the ids' order
 * @throws not_found for the provider, conflict when this version cannot operate it
 */
export async function validateProviderClient(
  ctx: Context,
  { tenantId }: Tenant,
  providerId: string,
  clientIds: string[],
): Promise<Validation[]> {
  const provider = await getProvider(ctx.db, tenantId, providerId)
  kindOf(provider.type)
  const problems = await listIdProblems(ctx.db, tenantId, providerId, clientIds)
  return problems.map((problem) => (problem ? { valid: false, ...problem } : { valid: true }))
}

/**
 * @returns `created: false` when the provider has a client of that id already, which stays as it is
 * @throws not_found for the provider, conflict when this version cannot operate it, provider_rejected when the id
 *   belongs elsewhere
 */
export async function createProviderClient(
  ctx: Context,
  actor: Actor,
  providerId: string,
  client: Pick<NewClient, 'id' | 'displayName' | 'enabled'>,
): Promise<{ created: boolean }> {
  return { created: (await createClient(ctx, actor, providerId, client)) !== undefined }
}

/**
 * @returns in the ids' order; nothing for an id that is no client of the provider
 * @throws not_found for the provider
 */
export async function providerClientCredentials(
  ctx: Context,
  { tenantId }: Tenant,
  providerId: string,
  clientIds: string[],
): Promise<(DeviceKeys | undefined)[]> {
  const rows = await listSealedKeys(ctx.db, tenantId, providerId, clientIds)
  // A client proves its provider; a boot storm saves the second query.
  if (rows.length === 0) await getProvider(ctx.db, tenantId, providerId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return clientIds.map((id) => {
    const row = byId.get(id)
    return row && openKeys(ctx.sealer, row)
  })
}
