/** Counts and lists the devices of a group by the key that they used last. [docs/onboarding#readiness] */
import { type Kysely, sql } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { EnrollmentGroupRow } from '../../database/tables/onboarding.ts'
import type { PageRequest } from '../../http/page.ts'
import { lastKeySlot } from '../devices/last-key-slot.ts'
import type { KeyKind } from './match-key.ts'
import type { ReadinessList } from './schema.ts'
import type { Slot } from './slots.ts'

type Place = Slot | 'replaced'
type Group = Pick<EnrollmentGroupRow, 'id' | 'tenant_id' | 'primary_key_id' | 'secondary_key_id'>

export interface DeviceCounts extends Record<Place, Record<KeyKind, number>> {
  devices: number
  unseen: number
}

export async function countDevices(db: Kysely<Tables>, group: Group): Promise<DeviceCounts> {
  const { rows } = await sql<{ place: Place; kind: KeyKind | null; devices: number }>`
    select case last_key_id
        when ${group.primary_key_id}::uuid then 'primary' when ${group.secondary_key_id}::uuid then 'secondary'
        else 'replaced' end as place,
      last_key_kind as kind, count(*)::int as devices
    from onboarding_devices
    where tenant_id = ${group.tenant_id} and enrollment_group_id = ${group.id} and status <> 'deleted'
    group by 1, 2`.execute(db)
  const counts: DeviceCounts = {
    devices: 0,
    primary: { bootstrap: 0, derived: 0 },
    secondary: { bootstrap: 0, derived: 0 },
    replaced: { bootstrap: 0, derived: 0 },
    unseen: 0,
  }
  for (const { place, kind, devices } of rows) {
    counts.devices += devices
    if (kind) counts[place][kind] += devices
    else counts.unseen += devices
  }
  return counts
}

export const sumKinds = ({ bootstrap, derived }: Record<KeyKind, number>): number => bootstrap + derived

export const isReadyToFlip = ({ devices, secondary }: DeviceCounts, group: Group): boolean =>
  group.secondary_key_id !== null && sumKinds(secondary) === devices

export const countRaw = ({ primary, secondary, replaced }: DeviceCounts): number =>
  primary.bootstrap + secondary.bootstrap + replaced.bootstrap

export const isReadyForDerivedOnly = (counts: DeviceCounts): boolean =>
  countRaw(counts) === 0 && counts.unseen === 0

export const listDevicesByKey = (
  db: Kysely<Tables>,
  { group, list }: { group: Group; list: ReadinessList | 'not_derived' },
  page: PageRequest,
) =>
  pageAfter(
    db
      .selectFrom('onboarding_devices')
      .selectAll()
      .select(lastKeySlot)
      .where('tenant_id', '=', group.tenant_id)
      .where('enrollment_group_id', '=', group.id)
      .where('status', '<>', 'deleted')
      .where(conditions[list](group)),
    'device_id',
    page,
  )

const unseen = sql<boolean>`last_key_kind is null`

const conditions = {
  old_key: (group: Group) => sql<boolean>`last_key_id = ${group.primary_key_id}::uuid`,
  replaced_key: (group: Group) => sql<boolean>`last_key_kind is not null
    and last_key_id is distinct from ${group.primary_key_id}::uuid
    and last_key_id is distinct from ${group.secondary_key_id}::uuid`,
  raw_key: () => sql<boolean>`last_key_kind = 'bootstrap'`,
  unseen: () => unseen,
  not_ready: (group: Group) => sql<boolean>`(last_key_id = ${group.secondary_key_id}::uuid) is not true`,
  not_derived: () => sql<boolean>`last_key_kind is distinct from 'derived'`,
}
