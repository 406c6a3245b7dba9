/**
 * The Provider API as functions, for the onboarding service in the same process. The HTTP routes handle one client each;
 * these functions handle batches, because onboarding may request thousands at once. [docs/providers#provider-api]
 */
import { privilegeQuestion } from '../../access/decisions/check.ts'
import { isAllowed, callerSubject } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { createClient, type NewClient } from '../clients/create-client.ts'
import { type IdProblem, listIdProblems } from '../clients/id-problems.ts'
import type { DeviceKeys } from '../credentials/device-keys.ts'
import { createKeyOpener } from '../credentials/key-opener.ts'
import { listSealedKeys, listSealedKeysIfAllowed, type SealedKeyTexts } from '../credentials/store.ts'
import { getProvider } from '../store.ts'

type Tenant = Pick<Caller, 'tenantId'>

export type Validation = { valid: true } | ({ valid: false } & IdProblem)

/**
 * Checks whether the ids are available for the provider or are its clients already.
 * @returns in the order of the ids
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
 * @returns `created: false` when the provider has a client with that id already, which is not changed
 * @throws not_found for the provider; provider_rejected when the id is not available; errors of a remote provider
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
 * @returns in the order of the ids; undefined for an id that is not a client of the provider or that the caller may not manage
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
 * Returns the sealed keys of those clients of the provider that the caller may manage.
 * @throws not_found for the provider
 */
export async function listManagedKeys(
  ctx: Context,
  caller: Caller,
  providerId: string,
  clientIds: string[],
): Promise<SealedKeyTexts[]> {
  const found = await listSealedKeys(ctx.pool, caller.tenantId, providerId, clientIds)
  // If a client was found, its provider exists.
  if (found.length === 0) await getProvider(ctx.db, caller.tenantId, providerId)
  return filterManaged(ctx, caller, found)
}

/** Returns the sealed keys of clients in one organization, if the caller manages all of its clients. It is one statement. */
export const listManagedKeysIn = (
  ctx: Context,
  caller: Pick<Caller, 'tenantId' | 'userId'>,
  {
    organizationId,
    providerId,
    clientIds,
  }: { organizationId: string; providerId: string; clientIds: string[] },
): Promise<SealedKeyTexts[]> =>
  listSealedKeysIfAllowed(ctx.pool, managementQuestion(caller, organizationId), providerId, clientIds)

const managementQuestion = (caller: Pick<Caller, 'tenantId' | 'userId'>, organizationId: string) =>
  privilegeQuestion(caller.tenantId, callerSubject(caller), 'provider_client_management', organizationId)

/** Checks the organizations first, which decides for most clients of a fleet at once. */
async function filterManaged<T extends { id: string; organization_id: string }>(
  ctx: Context,
  caller: Caller,
  clients: T[],
): Promise<T[]> {
  const inOrganization = new Map<string, Promise<boolean>>()
  for (const { organization_id: id } of clients) {
    if (!inOrganization.has(id)) inOrganization.set(id, ctx.decisions.check(managementQuestion(caller, id)))
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
