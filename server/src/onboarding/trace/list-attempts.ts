import { type Kysely, sql } from 'kysely'
import { requirePermission } from '../../access/require.ts'
import { ENVIRONMENT_ID } from '../../access/relations/store.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { AttemptRow } from '../../database/tables/onboarding-attempts.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isUuid, type PageRequest } from '../../http/page.ts'
import { readTime } from '../../http/read-time.ts'
import type { AttemptFilter } from './schema.ts'
import { ATTEMPTS_OF_DEVICE, UNPROVEN_OF_DEVICE } from './store.ts'

type Owner = string | null

/**
 * Whose attempts the caller sees: those of its tenant, and as an owner of the environment also those that belong to no
 * tenant. [docs/onboarding#whose-attempts]
 */
export async function listOwners(ctx: Context, caller: Caller): Promise<Owner[]> {
  const environment = { type: 'environment', id: ENVIRONMENT_ID } as const
  try {
    await requirePermission(ctx, caller, 'manage', environment)
    return [caller.tenantId, null]
  } catch (error) {
    if (error instanceof ApiError && error.code === 'forbidden') return [caller.tenantId]
    throw error
  }
}

interface TracedDevice {
  groupId: string
  deviceId: string
}

/** Includes attempts that no group decided, such as sign-ins over MQTT, and a few without proof. */
export async function listAttemptsOfDevice(
  db: Kysely<Tables>,
  owners: Owner[],
  device: TracedDevice,
): Promise<AttemptRow[]> {
  const query = queryOfDevice(db, owners, device)
  const lists = await Promise.all([
    query.where('proven', '=', true).limit(ATTEMPTS_OF_DEVICE).execute(),
    query.where('proven', '=', false).limit(UNPROVEN_OF_DEVICE).execute(),
  ])
  return mergeNewest(lists, ATTEMPTS_OF_DEVICE)
}

const queryOfDevice = (db: Kysely<Tables>, owners: Owner[], { groupId, deviceId }: TracedDevice) =>
  db
    .selectFrom('onboarding_attempts')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where(
      sql<boolean>`(tenant_id = any(${owners}::text[]) or (tenant_id is null and ${owners.includes(null)}))`,
    )
    .where((eb) => eb.or([eb('enrollment_group_id', 'is', null), eb('enrollment_group_id', '=', groupId)]))
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')

const outcomes = ['succeeded', 'refused', 'failed'] as const

/** Merges a short list for each owner and outcome, each of which an index has in order. */
export async function listAttempts(
  db: Kysely<Tables>,
  owners: Owner[],
  { outcome, kind, device_id, since, page }: AttemptFilter & { page: PageRequest },
): Promise<AttemptRow[]> {
  const sinceTime = readTime(since, 'since')
  const list = (owner: Owner, one: AttemptRow['outcome']) =>
    db
      .selectFrom('onboarding_attempts')
      .selectAll()
      .where('tenant_id', owner === null ? 'is' : '=', owner)
      .where('outcome', '=', one)
      .$if(kind !== undefined, (q) => q.where('kind', '=', kind!))
      .$if(device_id !== undefined, (q) => q.where('device_id', '=', device_id!))
      .$if(sinceTime !== undefined, (q) => q.where('last_at', '>=', sinceTime!))
      .$if(page.after !== undefined, (q) => q.where(isBefore(page.after!)))
      .orderBy('last_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit + 1)
      .execute()
  const lists = owners.flatMap((owner) =>
    outcomes
      .filter((one) => !outcome || one === outcome || (outcome === 'unsuccessful' && one !== 'succeeded'))
      .map((one) => list(owner, one)),
  )
  return mergeNewest(await Promise.all(lists), page.limit + 1)
}

function mergeNewest(lists: AttemptRow[][], count: number): AttemptRow[] {
  const keys = new Map(lists.flat().map((row) => [row, attemptKey(row)]))
  return [...keys.keys()].toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? 1 : -1)).slice(0, count)
}

const isBefore = (key: string) => {
  const [at, id] = key.split('/')
  return sql<boolean>`(last_at, id) < (${at}::timestamptz, ${id}::uuid)`
}

/** The sort key of the list. */
export const attemptKey = ({ last_at, id }: AttemptRow): string => `${last_at.toISOString()}/${id}`

export function isAttemptKey(key: string): boolean {
  const [at = '', id = ''] = key.split('/')
  return /^\d{4}-[\d:T.-]+Z$/.test(at) && !Number.isNaN(Date.parse(at)) && isUuid(id)
}
