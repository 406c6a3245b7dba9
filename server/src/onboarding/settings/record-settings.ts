/** Records when a device last fetched its settings, and the slot of the key that it used. [docs/onboarding#devices] */
import type pg from 'pg'
import { coalesce } from '../../lib/coalesce.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'

/**
 * Resolves once other requests see the record. Concurrent requests share one statement.
 *
 * The commit is asynchronous, so that no device waits for the disk. If the database crashes, the records of the last
 * half second may be lost; the next requests of the devices restore them.
 */
export const createSettingsRecorder = (pool: pg.Pool): ((device: AuthenticatedDevice) => Promise<void>) =>
  // One statement at a time, because two could lock the same devices in different orders and deadlock.
  coalesce((devices) => updateLastSettings(pool, devices), { maxBatch: 1000, concurrency: 1 })

async function updateLastSettings(pool: pg.Pool, devices: AuthenticatedDevice[]): Promise<void[]> {
  await pool.query({
    name: 'update-last-settings',
    // Other nodes run the same statement, so all of them lock in a fixed order to avoid a deadlock.
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
