/** When a device last fetched its settings, and with the key of which slot. [docs/onboarding#devices] */
import type pg from 'pg'
import { coalesce } from '../../lib/coalesce.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'

/**
 * Resolves once every other request sees it. Devices that answer at the same time share one statement.
 *
 * It does not wait for the disk: should the database itself fail, the last half second may be missing, and the devices'
 * next requests make up for it. Waiting would make each device wait for a disk.
 */
export const createSettingsRecorder = (pool: pg.Pool): ((device: AuthenticatedDevice) => Promise<void>) =>
  // One statement at a time: two of them could lock the same devices in different orders.
  coalesce((devices) => updateLastSettings(pool, devices), { maxBatch: 1000, concurrency: 1 })

async function updateLastSettings(pool: pg.Pool, devices: AuthenticatedDevice[]): Promise<void[]> {
  await pool.query({
    name: 'update-last-settings',
    // Other processes do the same: all of them lock in one order.
    text: `with unhurried as materialized (
        select set_config('synchronous_commit', 'off', true)
      ), asked as (
        select * from unnest($1::uuid[], $2::text[], $3::text[]) as asked (group_id, device_id, slot)
      ), locked as (
        select d.enrollment_group_id, d.device_id, asked.slot
        from onboarding_devices d
        join asked on d.enrollment_group_id = asked.group_id and d.device_id = asked.device_id
        order by d.enrollment_group_id, d.device_id
        for no key update of d
      )
      update onboarding_devices d set last_settings_at = now(), last_key_slot = locked.slot
      from locked, unhurried
      where d.enrollment_group_id = locked.enrollment_group_id and d.device_id = locked.device_id`,
    values: [
      devices.map((device) => device.group.id),
      devices.map((device) => device.deviceId),
      devices.map((device) => device.slot),
    ],
  })
  return devices.map(() => undefined)
}
