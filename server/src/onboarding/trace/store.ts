import type pg from 'pg'
import type { AttemptOutcome } from './attempt.ts'
import type { AttemptRun } from './attempt-run.ts'

export const ATTEMPTS_OF_DEVICE = 50
/** Those among them without a proof that they are of the device. */
export const UNPROVEN_OF_DEVICE = 10
/** Runs of a tenant with one outcome. */
export const ATTEMPTS_OF_TENANT = 200_000
/** The same for ids that belong to no tenant. */
export const ATTEMPTS_OF_UNKNOWN = 10_000
/** Old rows are deleted after one of so many new ones on average, so that a few more than the bound are stored at times. */
const NEW_ROWS_UNTIL_TRIM = { device: 8, unknown: 1000, tenant: 20_000 }

/** @param counts of the attempts that each run has more than its row */
export async function upsertAttempts(pool: pg.Pool, runs: AttemptRun[], counts: number[]): Promise<void> {
  const of = <T>(read: (run: AttemptRun) => T) => runs.map(read)
  await pool.query({
    name: 'upsert-onboarding-attempts',
    // The commit is asynchronous: a crash of the database loses the attempts of the last half second.
    text: `with unhurried as materialized (
        select set_config('synchronous_commit', 'off', true)
      )
      insert into onboarding_attempts as known (id, tenant_id, enrollment_group_id, device_id, kind, outcome, address,
        steps, count, first_at, last_at, duration_ms, proven)
      select new.* from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::json[], $9::int[], $10::timestamptz[], $11::timestamptz[], $12::int[], $13::bool[]) as new,
        unhurried
      on conflict (id) do update set steps = excluded.steps, count = known.count + excluded.count,
        last_at = excluded.last_at, duration_ms = excluded.duration_ms`,
    values: [
      of(({ id }) => id),
      of(({ last }) => last.tenantId),
      of(({ last }) => last.groupId),
      of(({ last }) => last.deviceId),
      of(({ last }) => last.kind),
      of(({ last }) => last.outcome),
      of(({ last }) => last.address),
      of(({ last }) => JSON.stringify(last.steps)),
      counts,
      of(({ firstAt }) => firstAt),
      of(({ last }) => last.startedAt),
      of(({ last }) => last.durationMs),
      of(({ last }) => last.isProven),
    ],
  })
}

/** Keeps the newest rows of the devices and owners of some new rows, each chosen by chance. */
export async function deleteOldAttempts(
  pool: pg.Pool,
  added: AttemptRun[],
  isDue = (oneIn: number) => Math.random() * oneIn < 1,
): Promise<void> {
  const ofDevices = added.filter(() => isDue(NEW_ROWS_UNTIL_TRIM.device))
  if (ofDevices.length > 0) await deleteOldOfDevices(pool, ofDevices)
  for (const { last } of added) {
    const isUnknown = last.tenantId === undefined
    if (isDue(isUnknown ? NEW_ROWS_UNTIL_TRIM.unknown : NEW_ROWS_UNTIL_TRIM.tenant))
      await deleteOldOfOwner(
        pool,
        last.tenantId,
        last.outcome,
        isUnknown ? ATTEMPTS_OF_UNKNOWN : ATTEMPTS_OF_TENANT,
      )
  }
}

const deleteOldOfDevices = (pool: pg.Pool, runs: AttemptRun[]) =>
  pool.query({
    name: 'delete-old-attempts-of-devices',
    // Rows that another node is writing are left for the next time, to avoid a deadlock.
    text: `with device as materialized (
        select distinct * from unnest($1::text[], $2::text[], $3::bool[]) as device (device_id, tenant_id, proven)
      ), old as (
        select a.id from device, lateral (
          select id from onboarding_attempts
          where device_id = device.device_id and tenant_id is not distinct from device.tenant_id
            and proven = device.proven
          order by last_at desc
          offset case when device.proven then ${ATTEMPTS_OF_DEVICE} else ${UNPROVEN_OF_DEVICE} end
        ) as past join onboarding_attempts a on a.id = past.id
        for update of a skip locked
      )
      delete from onboarding_attempts a using old where a.id = old.id`,
    values: [
      runs.map(({ last }) => last.deviceId),
      runs.map(({ last }) => last.tenantId),
      runs.map(({ last }) => last.isProven),
    ],
  })

const deleteOldOfOwner = (
  pool: pg.Pool,
  tenantId: string | undefined,
  outcome: AttemptOutcome,
  kept: number,
) =>
  pool.query(
    `delete from onboarding_attempts where id in (
      select id from onboarding_attempts
      where tenant_id ${tenantId === undefined ? 'is null and $1::text is null' : '= $1'} and outcome = $2
        and last_at <= (
          select last_at from onboarding_attempts
          where tenant_id ${tenantId === undefined ? 'is null' : '= $1'} and outcome = $2
          order by last_at desc offset $3 limit 1)
      for update skip locked)`,
    [tenantId, outcome, kept],
  )
