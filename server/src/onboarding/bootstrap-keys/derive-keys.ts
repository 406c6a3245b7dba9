/** Derives the keys of many devices, for the factory that writes them into the devices. [docs/onboarding#keys-for-the-factory] */
import { Readable } from 'node:stream'
import { recordAudits } from '../../audit/record.ts'
import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { createTurns } from '../../lib/take-turns.ts'
import { deriveKey } from './derive-key.ts'
import type { DerivedKey } from './schema.ts'
import { getBootstrapKeys } from './store.ts'

const KEYS_PER_CHUNK = 250

/** Shared by all answers, so that several at once block the event loop no longer than one. */
const nextTurn = createTurns()

export type DerivedKeyForm = 'json' | 'ndjson'

interface Derivation {
  actor: Actor
  groupId: string
  deviceIds: string[]
  form: DerivedKeyForm
}

/**
 * The audit log has an entry for each device, without its keys, before the first key is sent.
 * @throws not_found, primary_key_empty
 */
export async function deriveKeys(
  { db, sealer }: Pick<Context, 'db' | 'sealer'>,
  { actor, groupId, deviceIds, form }: Derivation,
): Promise<Readable> {
  const keys = await getBootstrapKeys(db, sealer, actor.tenantId, groupId)
  const [primary, secondary] = [decodeKey(keys.primary_key), decodeKey(keys.secondary_key)]
  if (!primary)
    throw new ApiError(
      'primary_key_empty',
      'The group has no bootstrap key that keys could be derived from. Generate one first.',
    )
  await recordAudits(
    db,
    actor,
    [...new Set(deviceIds)].map((resourceId) => ({
      action: 'derive-keys',
      resourceType: 'onboarding_device',
      resourceId,
      after: { device_id: resourceId, enrollment_group_id: groupId },
    })),
  )
  const derive = (device_id: string): DerivedKey => ({
    device_id,
    primary_key: deriveKey(primary, device_id),
    secondary_key: secondary && deriveKey(secondary, device_id),
  })
  return Readable.from(form === 'ndjson' ? writeLines(deviceIds, derive) : writeJson(deviceIds, derive))
}

const decodeKey = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'))

type Derive = (deviceId: string) => DerivedKey

async function* writeLines(deviceIds: string[], derive: Derive): AsyncGenerator<string> {
  for await (const some of inTurns(deviceIds))
    yield some.map((deviceId) => `${JSON.stringify(derive(deviceId))}\n`).join('')
}

async function* writeJson(deviceIds: string[], derive: Derive): AsyncGenerator<string> {
  let separator = '{"items":['
  for await (const some of inTurns(deviceIds)) {
    yield separator + some.map((deviceId) => JSON.stringify(derive(deviceId))).join(',')
    separator = ','
  }
  yield ']}'
}

async function* inTurns(deviceIds: string[]): AsyncGenerator<string[]> {
  for (let from = 0; from < deviceIds.length; from += KEYS_PER_CHUNK) {
    await nextTurn()
    yield deviceIds.slice(from, from + KEYS_PER_CHUNK)
  }
}
