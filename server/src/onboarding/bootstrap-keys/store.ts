import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Actor } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { newId, newKey } from '../../lib/ids.ts'
import { sealedPlace, type Sealer } from '../../lib/seal.ts'
import { formatTimestamp } from '../../http/shapes.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import { requireReadyToFlip } from './require-ready.ts'
import type { Slot } from './slots.ts'
import { getEffect, type Operation } from './states.ts'

type Slots = Pick<
  EnrollmentGroupRow,
  'primary_key_id' | 'primary_key_sealed' | 'secondary_key_id' | 'secondary_key_sealed'
>

/** Null where the slot is empty. */
export interface BootstrapKeys {
  primary_key: string | null
  secondary_key: string | null
}

export const keyPlace = (slot: Slot, groupId: string) =>
  sealedPlace('enrollment_groups', `${slot}_key_sealed`, groupId)

/** The keys with the times when they were generated and last used. @throws not_found */
export async function getBootstrapKeysInUse(
  db: Kysely<Tables>,
  sealer: Sealer,
  tenantId: string,
  groupId: string,
) {
  const group = await getEnrollmentGroup(db, tenantId, groupId)
  const records = await db
    .selectFrom('bootstrap_keys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('enrollment_group_id', '=', groupId)
    .execute()
  const [primary, secondary] = [group.primary_key_id, group.secondary_key_id].map((keyId) =>
    records.find(({ id }) => id === keyId),
  )
  return {
    ...openKeys(sealer, group),
    primary_created_at: formatTimestamp(primary?.created_at),
    primary_last_used_at: formatTimestamp(primary?.last_used_at),
    secondary_created_at: formatTimestamp(secondary?.created_at),
    secondary_last_used_at: formatTimestamp(secondary?.last_used_at),
  }
}

/** @throws not_found */
export async function getBootstrapKeys(
  db: Kysely<Tables>,
  sealer: Sealer,
  tenantId: string,
  groupId: string,
) {
  return openKeys(sealer, await getEnrollmentGroup(db, tenantId, groupId))
}

interface KeyChange {
  actor: Actor
  groupId: string
  /** Refuses a flip after which a device could no longer sign in. */
  ifReady?: boolean
}

/** Fills the primary slot, or the secondary slot if the primary is filled. @throws not_found, key_slots_full */
export const generateBootstrapKey = (db: Kysely<Tables>, sealer: Sealer, change: KeyChange) =>
  updateBootstrapKeys(db, sealer, { ...change, operation: 'generate' })

/**
 * Makes the secondary key primary and empties the secondary slot.
 * @throws not_found, secondary_key_empty, devices_not_ready
 */
export const flipBootstrapKeys = (db: Kysely<Tables>, sealer: Sealer, change: KeyChange) =>
  updateBootstrapKeys(db, sealer, { ...change, operation: 'flip' })

/** Applies the operation under a lock on the group, so that concurrent calls run one after the other. */
const updateBootstrapKeys = (
  db: Kysely<Tables>,
  sealer: Sealer,
  { actor, groupId, operation, ifReady }: KeyChange & { operation: Operation },
): Promise<BootstrapKeys> =>
  audited(db, { actor, action: `${operation}-keys`, resourceType: 'enrollment_group' }, async (tx) => {
    const group = await getEnrollmentGroup(tx, actor.tenantId, groupId, 'change')
    const change = makeChange(sealer, group, operation)
    if (ifReady) await requireReadyToFlip(tx, group)
    await replaceKeyRecords(tx, group, { ...group, ...change })
    const changed = await tx
      .updateTable('enrollment_groups')
      .set(change)
      .where('tenant_id', '=', actor.tenantId)
      .where('id', '=', groupId)
      .returningAll()
      .executeTakeFirstOrThrow()
    return {
      resourceId: group.id,
      before: filledSlots(group),
      after: filledSlots(changed),
      result: openKeys(sealer, changed),
    }
  })

function makeChange(sealer: Sealer, group: EnrollmentGroupRow, operation: Operation): Partial<Slots> {
  switch (getEffect(operation, filledSlots(group))) {
    case 'fill primary':
      return {
        primary_key_id: newId(),
        primary_key_sealed: sealer.seal(newKey(), keyPlace('primary', group.id)),
      }
    case 'fill secondary':
      return {
        secondary_key_id: newId(),
        secondary_key_sealed: sealer.seal(newKey(), keyPlace('secondary', group.id)),
      }
    case 'promote secondary': {
      // A sealed value can be opened only in its own column, so the key is sealed again for the primary slot.
      const key = openKeys(sealer, group).secondary_key!
      return {
        primary_key_id: group.secondary_key_id,
        primary_key_sealed: sealer.seal(key, keyPlace('primary', group.id)),
        secondary_key_id: null,
        secondary_key_sealed: null,
      }
    }
  }
}

/** Inserts the record of a key that fills a slot, and deletes that of a key that is in no slot any more. */
async function replaceKeyRecords(tx: Kysely<Tables>, before: EnrollmentGroupRow, after: Slots) {
  const [old, present] = [listKeyIds(before), listKeyIds(after)]
  for (const id of present.filter((key) => !old.includes(key)))
    await tx
      .insertInto('bootstrap_keys')
      .values({ id, tenant_id: before.tenant_id, enrollment_group_id: before.id })
      .execute()
  for (const id of old.filter((key) => !present.includes(key)))
    await tx
      .deleteFrom('bootstrap_keys')
      .where('tenant_id', '=', before.tenant_id)
      .where('id', '=', id)
      .execute()
}

const listKeyIds = ({ primary_key_id, secondary_key_id }: Slots): string[] =>
  [primary_key_id, secondary_key_id].filter((id) => id !== null)

const filledSlots = (keys: Slots): Record<Slot, boolean> => ({
  primary: keys.primary_key_sealed !== null,
  secondary: keys.secondary_key_sealed !== null,
})

function openKeys(sealer: Sealer, group: EnrollmentGroupRow): BootstrapKeys {
  const open = (sealed: Buffer | null, slot: Slot) => sealed && sealer.open(sealed, keyPlace(slot, group.id))
  return {
    primary_key: open(group.primary_key_sealed, 'primary'),
    secondary_key: open(group.secondary_key_sealed, 'secondary'),
  }
}
