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
import {
  createProviderClient,
  providerClientCredentials,
  validateProviderClient,
} from '../../providers/provider-api/functions.ts'
import { createSecretOpener, type OpenSecret } from '../open-secrets.ts'
import type { Credentials, ProviderApi } from './provider-api.ts'
import { noSuchClient, rejected, troubleOfStatus } from './trouble.ts'

const VALIDATIONS_PER_QUERY = 1000
/** Both keys of ten thousand devices. */
const REMEMBERED_KEYS = 20_000
const PRIVILEGE = 'provider_client_management'

/** A provider as one routing target sees it: with that target's key. */
interface Access {
  providerId: string
  apiKey: string
}

type Wanted = Access & { deviceId: string }

export function createLocalProviderApi(ctx: Context): (providerId: string, apiKey: string) => ProviderApi {
  const open = createSecretOpener(ctx.sealer, REMEMBERED_KEYS)
  const credentialsOf = coalesce((wanted: Wanted[]) => listCredentials(ctx, open, wanted), {
    maxBatch: 500,
    concurrency: 4,
  })

  return (providerId, apiKey) => ({
    async validate(deviceIds) {
      const verdicts: (ApiError | undefined)[] = []
      for (let start = 0; start < deviceIds.length; start += VALIDATIONS_PER_QUERY) {
        const ids = deviceIds.slice(start, start + VALIDATIONS_PER_QUERY)
        const answers = await orTrouble(validateSome(ctx, { providerId, apiKey }, ids))
        verdicts.push(...(answers instanceof ApiError ? ids.map(() => answers) : answers))
      }
      return verdicts
    },

    async createClient(id, requestId) {
      const created = await orTrouble(createOne(ctx, { providerId, apiKey }, id, requestId))
      if (created instanceof ApiError) throw created
      return created
    },

    async credentials(deviceId) {
      const credentials = await credentialsOf({ providerId, apiKey, deviceId })
      if (credentials instanceof ApiError) throw credentials
      return credentials
    },
  })
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
async function credentialsOfSome(ctx: Context, open: OpenSecret, access: Access, deviceIds: string[]) {
  const caller = await callerOfToken(ctx, access.apiKey, newId())
  await requireWithinToken(caller, 'provider_client')
  const found = await providerClientCredentials(ctx, caller, access.providerId, deviceIds, open)
  if (!found.includes(undefined)) return found
  const refusal = (await orTrouble(requirePrivilege(ctx, caller, PRIVILEGE))) ?? undefined
  return found.map((keys) => keys ?? refusal)
}

/** Devices of one target go together: its key is checked once, then one query brings the credentials of all. */
async function listCredentials(
  ctx: Context,
  open: OpenSecret,
  wanted: Wanted[],
): Promise<(Credentials | ApiError)[]> {
  const found = new Map<Wanted, Credentials | ApiError>()
  for (const group of groupsOf(wanted)) {
    const deviceIds = group.map((one) => one.deviceId)
    const answers = await orTrouble(credentialsOfSome(ctx, open, group[0]!, deviceIds))
    group.forEach((one, index) =>
      found.set(one, answers instanceof ApiError ? answers : (answers[index] ?? noSuchClient(one.deviceId))),
    )
  }
  return wanted.map((one) => found.get(one)!)
}

function groupsOf(wanted: Wanted[]): Iterable<Wanted[]> {
  const groups = new Map<string, Wanted[]>()
  for (const one of wanted) {
    const key = `${one.providerId} ${one.apiKey}`
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups.values()
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
