import { sql } from 'kysely'
import type { DeviceRow } from '../../database/tables/onboarding.ts'

/** The slot in which the key that the device used last is now. For queries of `onboarding_devices`. */
export const lastKeySlot = sql<DeviceRow['last_key_slot']>`(
  select case onboarding_devices.last_key_id
    when g.primary_key_id then 'primary' when g.secondary_key_id then 'secondary' end
  from enrollment_groups g where g.id = onboarding_devices.enrollment_group_id
)`.as('last_key_slot')
