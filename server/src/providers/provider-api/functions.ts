/**
 * The Provider API as functions, for an onboarding service in this process. Its HTTP routes do the same one by one;
 * here checks and credentials go in batches, since devices come in thousands. [docs/providers#provider-api]
 */
import { privilegeQuestion } from '../../access/decisions/check.ts'
import { isAllowed, callerSubject } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { createClient, type NewClient } from '../clients/create-client.ts'
import { type IdProblem, listIdProblems } from '../clients/id-problems.ts'
import type { DeviceKeys } from '../credentials/device-keys.ts'
import { createKeyOpener } from '../credentials/key-opener.ts'
import { listSealedKeys, listSealedKeysIfYes, type SealedKeyTexts } from '../credentials/store.ts'
import { getProvider } from '../store.ts'

type Tenant = Pick<Caller, 'tenantId'>

export type Validation = { valid: true } | ({ valid: false } & IdProblem)

/**
 * Whether these ids can be clients of the provider, or are already.
 * @returns in the ids' order
 * @throws not_found for the provider
 */
export async function validateProviderClient(
  ctx: Context,
  { tenantId }: Tenant,
  providerId: string,
  clientIds: string[],
): Promise<Validation[]> {
  await getProvider(ctx.db, tenantId, providerId)
  const problems = await listIdProblems(ctx.db, tenantId, providerId, clientIds)
  return problems.map((problem) => (problem ? { valid: false, ...problem } : { valid: true }))
}

/**
 * @returns `created: false` when the provider has a client of that id already, which stays as it is
 * @throws not_found for the provider; provider_rejected when the id belongs elsewhere, and whatever the provider's kind throws
 */
export async function createProviderClient(
  ctx: Context,
  caller: Caller,
  providerId: string,
  client: Pick<NewClient, 'id' | 'displayName' | 'enabled'>,
): Promise<{ created: boolean }> {
  return { created: (await createClient(ctx, caller, providerId, client)) !== undefined }
}

/**
 * @returns in the ids' order; nothing for an id that is no client of the provider, or none that the caller may manage
 * @throws not_found for the provider
 */
export async function providerClientCredentials(
  ctx: Context,
  caller: Caller,
  providerId: string,
  clientIds: string[],
): Promise<(DeviceKeys | undefined)[]> {
  const open = createKeyOpener(ctx.sealer)
  const byId = new Map(
    (await listManagedKeys(ctx, caller, providerId, clientIds)).map((row) => [row.id, row]),
  )
  return clientIds.map((id) => (byId.has(id) ? open(byId.get(id)!) : undefined))
}

/**
 * Still sealed, of those that are clients of the provider and that the caller may manage.
 * @throws not_found for the provider
 */
export async function listManagedKeys(
  ctx: Context,
  caller: Caller,
  providerId: string,
  clientIds: string[],
): Promise<SealedKeyTexts[]> {
  const found = await listSealedKeys(ctx.pool, caller.tenantId, providerId, clientIds)
  // A client proves its provider.
  if (found.length === 0) await getProvider(ctx.db, caller.tenantId, providerId)
  return managedBy(ctx, caller, found)
}

/** Only of those clients that belong to the organization, and only if that decides: one statement for a boot storm. */
export const listManagedKeysIn = (
  ctx: Context,
  caller: Pick<Caller, 'tenantId' | 'userId'>,
  {
    organizationId,
    providerId,
    clientIds,
  }: { organizationId: string; providerId: string; clientIds: string[] },
): Promise<SealedKeyTexts[]> =>
  listSealedKeysIfYes(ctx.pool, manageIn(caller, organizationId), providerId, clientIds)

const manageIn = (caller: Pick<Caller, 'tenantId' | 'userId'>, organizationId: string) =>
  privilegeQuestion(caller.tenantId, callerSubject(caller), 'provider_client_management', organizationId)

/** Asked of the organization first: that decides for most of a fleet at once. */
async function managedBy<T extends { id: string; organization_id: string }>(
  ctx: Context,
  caller: Caller,
  clients: T[],
): Promise<T[]> {
  const inOrganization = new Map<string, Promise<boolean>>()
  for (const { organization_id: id } of clients) {
    if (!inOrganization.has(id)) inOrganization.set(id, ctx.decisions.check(manageIn(caller, id)))
  }
  const answers = await Promise.all(
    clients.map(
      async ({ id, organization_id }) =>
        (await inOrganization.get(organization_id)) ||
        isAllowed(ctx, caller, 'manage', { type: 'provider_client', id }),
    ),
  )
  return clients.filter((_client, index) => answers[index])
}
