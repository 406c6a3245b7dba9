/**
 * The Provider API of a provider on this platform, called in the process instead of over HTTP. Access is decided as in
 * its routes: by the API key of the routing target, its tenant and its privileges.
 */
import { authenticateToken, authenticateWithPrivilege } from '../../access/guards.ts'
import { requirePrivilege, requireWithinToken } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { newId } from '../../lib/ids.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { createCachingKeyOpener, type OpenKeys } from '../../providers/credentials/key-opener.ts'
import {
  createProviderClient,
  listManagedKeys,
  listManagedKeysIn,
  validateProviderClient,
} from '../../providers/provider-api/functions.ts'
import type { Credentials, ProviderApi } from './provider-api.ts'
import { noSuchClient, providerRejected, errorFromStatus } from './provider-errors.ts'

const VALIDATIONS_PER_QUERY = 1000
const MAX_CACHED_CLIENTS = 20_000
const MAX_CACHED_ACCESSES = 1000
const PRIVILEGE = 'provider_client_management'

/** A provider and the API key with which a routing target calls it. */
interface Access {
  providerId: string
  apiKey: string
  /** The owner of the key, which never changes, and the organization of the clients whose keys were read last. */
  last?: { tenantId: string; userId: string; organizationId: string }
}

interface CredentialsRequest {
  access: Access
  deviceId: string
}

export function createLocalProviderApi(ctx: Context): (providerId: string, apiKey: string) => ProviderApi {
  const open = createCachingKeyOpener(ctx.sealer, MAX_CACHED_CLIENTS)
  const fetchCredentials = coalesce((wanted: CredentialsRequest[]) => listCredentials(ctx, open, wanted), {
    maxBatch: 500,
    concurrency: 4,
  })

  const accesses = createBoundedCache<string, Access>(MAX_CACHED_ACCESSES)
  const getAccess = (providerId: string, apiKey: string) => {
    const known = accesses.get(`${providerId} ${apiKey}`)
    if (known) return known
    const access = { providerId, apiKey }
    accesses.set(`${providerId} ${apiKey}`, access)
    return access
  }

  return (providerId, apiKey) => {
    const access = getAccess(providerId, apiKey)
    return {
      isRemote: false,
      async validate(deviceIds) {
        const verdicts: (ApiError | undefined)[] = []
        for (let start = 0; start < deviceIds.length; start += VALIDATIONS_PER_QUERY) {
          const ids = deviceIds.slice(start, start + VALIDATIONS_PER_QUERY)
          const answers = await catchProviderError(validateBatch(ctx, access, ids))
          verdicts.push(...(answers instanceof ApiError ? ids.map(() => answers) : answers))
        }
        return verdicts
      },

      async createClient(id, requestId) {
        const created = await catchProviderError(createLocalClient(ctx, access, id, requestId))
        if (created instanceof ApiError) throw created
        return created
      },

      async credentials(deviceId) {
        const credentials = await fetchCredentials({ access, deviceId })
        if (credentials instanceof ApiError) throw credentials
        return credentials
      },
    }
  }
}

const authenticate = (ctx: Context, { apiKey }: Access, requestId = newId()) =>
  authenticateWithPrivilege(ctx, apiKey, PRIVILEGE, requestId)

async function validateBatch(ctx: Context, access: Access, deviceIds: string[]) {
  const answers = await validateProviderClient(
    ctx,
    await authenticate(ctx, access),
    access.providerId,
    deviceIds,
  )
  return answers.map((answer) => (answer.valid ? undefined : providerRejected(answer.message)))
}

async function createLocalClient(ctx: Context, access: Access, id: string, requestId: string) {
  const caller = await authenticate(ctx, access, requestId)
  return createProviderClient(ctx, caller, access.providerId, { id, displayName: id, enabled: true })
}

/**
 * Decides as the route of the credentials does: by the permission on each client. If credentials of a client are
 * missing, the privilege decides whether the client does not exist or the key may not see it.
 */
async function openCredentials(ctx: Context, open: OpenKeys, access: Access, deviceIds: string[]) {
  const [caller, likely] = await Promise.all([
    authenticateToken(ctx, access.apiKey, newId()),
    listLikelyKeys(ctx, access, deviceIds),
  ])
  await requireWithinToken(caller, 'provider_client', 'manage')
  const rows = new Map(likely.map((row) => [row.id, row]))
  const missing = deviceIds.filter((id) => !rows.has(id))
  if (missing.length > 0) {
    const more = await listManagedKeys(ctx, caller, access.providerId, missing)
    for (const row of more) rows.set(row.id, row)
    const { tenantId, userId } = caller
    if (more[0]) access.last = { tenantId, userId, organizationId: more[0].organization_id }
  }
  const found = deviceIds.map((id) => (rows.has(id) ? open(rows.get(id)!) : undefined))
  if (!found.includes(undefined)) return found
  const refusal = (await catchProviderError(requirePrivilege(ctx, caller, PRIVILEGE))) ?? undefined
  return found.map((keys) => keys ?? refusal)
}

/**
 * Runs while the API key is checked, and assumes that the clients belong to the organization of the last ones, as most
 * of a fleet do. The statement includes the access decision; clients that it does not find are looked up afterwards.
 */
const listLikelyKeys = async (ctx: Context, { last, providerId }: Access, deviceIds: string[]) =>
  last
    ? listManagedKeysIn(ctx, last, { organizationId: last.organizationId, providerId, clientIds: deviceIds })
    : []

/** Groups the requests by routing target: its key is checked once, and one query reads the credentials of all devices. */
async function listCredentials(
  ctx: Context,
  open: OpenKeys,
  wanted: CredentialsRequest[],
): Promise<(Credentials | ApiError)[]> {
  const found = new Map<CredentialsRequest, Credentials | ApiError>()
  for (const access of new Set(wanted.map((one) => one.access))) {
    const group = wanted.filter((one) => one.access === access)
    const deviceIds = group.map((one) => one.deviceId)
    const answers = await catchProviderError(openCredentials(ctx, open, access, deviceIds))
    group.forEach((one, index) =>
      found.set(one, answers instanceof ApiError ? answers : (answers[index] ?? noSuchClient(one.deviceId))),
    )
  }
  return wanted.map((one) => found.get(one)!)
}

/**
 * Returns an ApiError as the error that the same answer over HTTP would become.
 * @throws internal errors, such as an unavailable database
 */
const catchProviderError = <T>(answer: Promise<T>): Promise<T | ApiError> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return error.code === 'provider_rejected' ? error : errorFromStatus(error.status)
  })
