import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Actor } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import { newKey } from '../../lib/ids.ts'
import { sealedPlace, type Sealer } from '../../lib/seal.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { Slot } from './slots.ts'
import { getEffect, type Operation } from './states.ts'

type SealedKeys = Pick<EnrollmentGroupRow, 'primary_key_sealed' | 'secondary_key_sealed'>

/** Null where the slot is empty. */
export interface BootstrapKeys {
  primary_key: string | null
  secondary_key: string | null
}

export const keyPlace = (slot: Slot, groupId: string) =>
  sealedPlace('enrollment_groups', `${slot}_key_sealed`, groupId)

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
}

/** Fills the primary slot, or the secondary slot if the primary is filled. @throws not_found, key_slots_full */
export const generateBootstrapKey = (db: Kysely<Tables>, sealer: Sealer, change: KeyChange) =>
  updateBootstrapKeys(db, sealer, { ...change, operation: 'generate' })

/** Makes the secondary key primary and empties the secondary slot. @throws not_found, secondary_key_empty */
export const flipBootstrapKeys = (db: Kysely<Tables>, sealer: Sealer, change: KeyChange) =>
  updateBootstrapKeys(db, sealer, { ...change, operation: 'flip' })

/** Applies the operation under a lock on the group, so that concurrent calls run one after the other. */
const updateBootstrapKeys = (
  db: Kysely<Tables>,
  sealer: Sealer,
  { actor, groupId, operation }: KeyChange & { operation: Operation },
): Promise<BootstrapKeys> =>
  audited(db, { actor, action: `${operation}-keys`, resourceType: 'enrollment_group' }, async (tx) => {
    const group = await getEnrollmentGroup(tx, actor.tenantId, groupId, 'change')
    const changed = await tx
      .updateTable('enrollment_groups')
      .set(makeChange(sealer, group, operation))
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

function makeChange(sealer: Sealer, group: EnrollmentGroupRow, operation: Operation): Partial<SealedKeys> {
  switch (getEffect(operation, filledSlots(group))) {
    case 'fill primary':
      return { primary_key_sealed: sealer.seal(newKey(), keyPlace('primary', group.id)) }
    case 'fill secondary':
      return { secondary_key_sealed: sealer.seal(newKey(), keyPlace('secondary', group.id)) }
    case 'promote secondary': {
      // A sealed value can be opened only in its own column, so the key is sealed again for the primary slot.
      const key = openKeys(sealer, group).secondary_key!
      return {
        primary_key_sealed: sealer.seal(key, keyPlace('primary', group.id)),
        secondary_key_sealed: null,
      }
    }
  }
}

const filledSlots = (keys: SealedKeys): Record<Slot, boolean> => ({
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
