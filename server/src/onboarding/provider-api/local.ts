/**
 * A provider of this very platform, without the way through HTTP. Access is decided as its routes decide it: by the
 * API key of the routing target, its tenant and its privileges.
 */
import { callerOfToken, callerWithPrivilege } from '../../access/guards.ts'
import { requirePrivilege, requireWithinToken } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { newId } from '../../lib/ids.ts'
import { createBoundedCache } from '../../lib/memo.ts'
import { createRememberingKeyOpener, type OpenKeys } from '../../providers/credentials/key-opener.ts'
import {
  createProviderClient,
  listManagedKeys,
  listManagedKeysIn,
  validateProviderClient,
} from '../../providers/provider-api/functions.ts'
import type { Credentials, ProviderApi } from './provider-api.ts'
import { noSuchClient, rejected, troubleOfStatus } from './trouble.ts'

const VALIDATIONS_PER_QUERY = 1000
const REMEMBERED_CLIENTS = 20_000
const REMEMBERED_ACCESSES = 1000
const PRIVILEGE = 'provider_client_management'

/** A provider as one routing target sees it: with that target's key. */
interface Access {
  providerId: string
  apiKey: string
  /** Whose key it is, which never changes, and where the last clients were that it opened. */
  last?: { tenantId: string; userId: string; organizationId: string }
}

interface Wanted {
  access: Access
  deviceId: string
}

export function createLocalProviderApi(ctx: Context): (providerId: string, apiKey: string) => ProviderApi {
  const open = createRememberingKeyOpener(ctx.sealer, REMEMBERED_CLIENTS)
  const credentialsOf = coalesce((wanted: Wanted[]) => listCredentials(ctx, open, wanted), {
    maxBatch: 500,
    concurrency: 4,
  })

  const accesses = createBoundedCache<string, Access>(REMEMBERED_ACCESSES)
  const accessOf = (providerId: string, apiKey: string) => {
    const known = accesses.get(`${providerId} ${apiKey}`)
    if (known) return known
    const access = { providerId, apiKey }
    accesses.set(`${providerId} ${apiKey}`, access)
    return access
  }

  return (providerId, apiKey) => {
    const access = accessOf(providerId, apiKey)
    return {
      async validate(deviceIds) {
        const verdicts: (ApiError | undefined)[] = []
        for (let start = 0; start < deviceIds.length; start += VALIDATIONS_PER_QUERY) {
          const ids = deviceIds.slice(start, start + VALIDATIONS_PER_QUERY)
          const answers = await orTrouble(validateSome(ctx, access, ids))
          verdicts.push(...(answers instanceof ApiError ? ids.map(() => answers) : answers))
        }
        return verdicts
      },

      async createClient(id, requestId) {
        const created = await orTrouble(createOne(ctx, access, id, requestId))
        if (created instanceof ApiError) throw created
        return created
      },

      async credentials(deviceId) {
        const credentials = await credentialsOf({ access, deviceId })
        if (credentials instanceof ApiError) throw credentials
        return credentials
      },
    }
  }
}

const callerOf = (ctx: Context, { apiKey }: Access, requestId = newId()) =>
  callerWithPrivilege(ctx, apiKey, PRIVILEGE, requestId)

async function validateSome(ctx: Context, access: Access, deviceIds: string[]) {
  const answers = await validateProviderClient(ctx, await callerOf(ctx, access), access.providerId, deviceIds)
  return answers.map((answer) => (answer.valid ? undefined : rejected(answer.message)))
}

async function createOne(ctx: Context, access: Access, id: string, requestId: string) {
  const caller = await callerOf(ctx, access, requestId)
  return createProviderClient(ctx, caller, access.providerId, { id, displayName: id, enabled: true })
}

/**
 * As the route of the credentials decides it: by the permission on each client. The privilege is asked for only where
 * one is missing, since it tells a client that is gone from a key that may not see it.
 */
async function credentialsOfSome(ctx: Context, open: OpenKeys, access: Access, deviceIds: string[]) {
  const [caller, ahead] = await Promise.all([
    callerOfToken(ctx, access.apiKey, newId()),
    listKeysAhead(ctx, access, deviceIds),
  ])
  await requireWithinToken(caller, 'provider_client', 'manage')
  const rows = new Map(ahead.map((row) => [row.id, row]))
  const missing = deviceIds.filter((id) => !rows.has(id))
  if (missing.length > 0) {
    const more = await listManagedKeys(ctx, caller, access.providerId, missing)
    for (const row of more) rows.set(row.id, row)
    const { tenantId, userId } = caller
    if (more[0]) access.last = { tenantId, userId, organizationId: more[0].organization_id }
  }
  const found = deviceIds.map((id) => (rows.has(id) ? open(rows.get(id)!) : undefined))
  if (!found.includes(undefined)) return found
  const refusal = (await orTrouble(requirePrivilege(ctx, caller, PRIVILEGE))) ?? undefined
  return found.map((keys) => keys ?? refusal)
}

/**
 * While the key itself is checked: a fleet's clients mostly belong to one organization, and then this finds all of
 * them, with the decision in the same statement. What it does not find is asked for in order.
 */
const listKeysAhead = async (ctx: Context, { last, providerId }: Access, deviceIds: string[]) =>
  last
    ? listManagedKeysIn(ctx, last, { organizationId: last.organizationId, providerId, clientIds: deviceIds })
    : []

/** Devices of one target go together: its key is checked once, then one query brings the credentials of all. */
async function listCredentials(
  ctx: Context,
  open: OpenKeys,
  wanted: Wanted[],
): Promise<(Credentials | ApiError)[]> {
  const found = new Map<Wanted, Credentials | ApiError>()
  for (const access of new Set(wanted.map((one) => one.access))) {
    const group = wanted.filter((one) => one.access === access)
    const deviceIds = group.map((one) => one.deviceId)
    const answers = await orTrouble(credentialsOfSome(ctx, open, access, deviceIds))
    group.forEach((one, index) =>
      found.set(one, answers instanceof ApiError ? answers : (answers[index] ?? noSuchClient(one.deviceId))),
    )
  }
  return wanted.map((one) => found.get(one)!)
}

/**
 * What the HTTP route would have answered, read as any provider's answer.
 * @throws trouble of our own, such as a database that is away
 */
const orTrouble = <T>(answer: Promise<T>): Promise<T | ApiError> =>
  answer.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return error.code === 'provider_rejected' ? error : troubleOfStatus(error.status)
  })
