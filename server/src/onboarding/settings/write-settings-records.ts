import type pg from 'pg'
import type { KeyKind } from '../bootstrap-keys/match-key.ts'

export interface SettingsRecord {
  groupId: string
  deviceId: string
  keyId: string
  keyKind: KeyKind
  /** By `performance.now()`; the database has its own clock. */
  atMs: number
}

/**
 * Writes the records of at most a few thousand devices, each device once. A later record of another node stays; one that
 * lies in the future, because the clock was set back, does not.
 *
 * The commits are asynchronous: if the database crashes, the records of the last half second may be lost. Other nodes run
 * the same statements, so all of them lock in a fixed order to avoid a deadlock.
 */
export async function writeSettingsRecords(pool: pg.Pool, records: SettingsRecord[]): Promise<void> {
  const nowMs = performance.now()
  const secondsAgo = records.map(({ atMs }) => (nowMs - atMs) / 1000)
  await pool.query({
    name: 'record-settings',
    text: `with unhurried as materialized (
        select set_config('synchronous_commit', 'off', true)
      ), asked as (
        select group_id, device_id, key_id, key_kind, now() - make_interval(secs => seconds_ago) as at
        from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::float8[])
          as asked (group_id, device_id, key_id, key_kind, seconds_ago)
      ), locked as (
        select asked.*
        from onboarding_devices d
        join asked on d.enrollment_group_id = asked.group_id and d.device_id = asked.device_id
        where d.created_at <= asked.at
          and (d.last_settings_at is null or d.last_settings_at < asked.at or d.last_settings_at > now())
        order by d.enrollment_group_id, d.device_id
        for no key update of d
      )
      update onboarding_devices d
      set last_settings_at = locked.at, last_key_id = locked.key_id, last_key_kind = locked.key_kind
      from locked, unhurried
      where d.enrollment_group_id = locked.group_id and d.device_id = locked.device_id`,
    values: [
      records.map(({ groupId }) => groupId),
      records.map(({ deviceId }) => deviceId),
      records.map(({ keyId }) => keyId),
      records.map(({ keyKind }) => keyKind),
      secondsAgo,
    ],
  })
  await updateLastUses(pool, records, secondsAgo)
}

async function updateLastUses(pool: pg.Pool, records: SettingsRecord[], secondsAgo: number[]) {
  const lastUses = new Map<string, number>()
  records.forEach(({ keyId }, index) =>
    lastUses.set(keyId, Math.min(secondsAgo[index]!, lastUses.get(keyId) ?? Infinity)),
  )
  await pool.query({
    name: 'record-key-uses',
    text: `with unhurried as materialized (
        select set_config('synchronous_commit', 'off', true)
      ), locked as (
        select k.id, now() - make_interval(secs => used.seconds_ago) as at
        from bootstrap_keys k
        join unnest($1::uuid[], $2::float8[]) as used (id, seconds_ago) on k.id = used.id
        order by k.id
        for no key update of k
      )
      update bootstrap_keys k set last_used_at = locked.at
      from locked, unhurried
      where k.id = locked.id
        and (k.last_used_at is null or k.last_used_at < locked.at or k.last_used_at > now())`,
    values: [[...lastUses.keys()], [...lastUses.values()]],
  })
}
