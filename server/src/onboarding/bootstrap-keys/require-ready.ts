/** Refuses a change of keys that would lock devices out, for callers that ask for it. [docs/onboarding#readiness] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import { ApiError } from '../../http/errors.ts'
import {
  countDevices,
  countRaw,
  type DeviceCounts,
  isReadyForDerivedOnly,
  isReadyToFlip,
  listDevicesByKey,
  sumKinds,
} from './count-devices.ts'

/** Number of devices that a refusal names. */
const MAX_NAMED = 10

/** @param tx a transaction that has locked the group @throws devices_not_ready */
export async function requireReadyToFlip(tx: Kysely<Tables>, group: EnrollmentGroupRow): Promise<void> {
  const counts = await countDevices(tx, group)
  if (isReadyToFlip(counts, group)) return
  const { primary, replaced, unseen } = counts
  await refuse(tx, group, {
    counts,
    list: 'not_ready',
    reasons: [
      [sumKinds(primary), 'last used the primary key'],
      [sumKinds(replaced), 'last used a key that is gone'],
      [unseen, 'have not fetched settings'],
    ],
  })
}

/** @param tx a transaction that has locked the group @throws devices_not_ready */
export async function requireReadyForDerivedOnly(
  tx: Kysely<Tables>,
  group: EnrollmentGroupRow,
): Promise<void> {
  const counts = await countDevices(tx, group)
  if (isReadyForDerivedOnly(counts)) return
  await refuse(tx, group, {
    counts,
    list: 'not_derived',
    reasons: [
      [countRaw(counts), 'last used a bootstrap key itself'],
      [counts.unseen, 'have not fetched settings'],
    ],
  })
}

interface Refusal {
  counts: DeviceCounts
  list: 'not_ready' | 'not_derived'
  /** How many devices are not ready, and why. */
  reasons: [count: number, why: string][]
}

async function refuse(tx: Kysely<Tables>, group: EnrollmentGroupRow, refusal: Refusal): Promise<never> {
  const { counts, list, reasons } = refusal
  const rows = await listDevicesByKey(tx, { group, list }, { limit: MAX_NAMED, after: undefined })
  const named = rows.slice(0, MAX_NAMED).map((row) => row.device_id)
  const why = reasons.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  throw new ApiError(
    'devices_not_ready',
    `Of ${counts.devices} devices, ${why.join(', ')}. The first of them: ${named.join(', ')}. ` +
      `GET /api/enrollment-groups/${group.id}/keys/readiness lists them; without if_ready the change is made anyway.`,
    { ...counts, device_ids: named },
  )
}
