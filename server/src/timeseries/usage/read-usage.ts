import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listPackedDays } from '../storage/packed/packed-days.ts'
import { firstKeptDay } from '../storage/expired-spans.ts'
import { startOfDay } from '../storage/partition-names.ts'
import { measureRows } from './measure-rows.ts'
import { type DayUsage, sumAmounts } from './usage.ts'

/** Measures the stored telemetry of a tenant, by day and tier. */
export async function readUsage(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
  const rows = await measureRows(db, tenantNumber)
  const packed = await listPackedDays(db, tenantNumber)
  return [
    ...rows,
    ...(await measureKept(db, tenantNumber)),
    ...[...packed.values()].flatMap(({ day, values, bytes, rollupBytes }): DayUsage[] => {
      const common = { day, isEstimate: false }
      const samples = { ...common, tier: 'packed', values, bytes } as const
      return rollupBytes > 0
        ? [samples, { ...common, tier: 'rollups', values: 0, bytes: rollupBytes }]
        : [samples]
    }),
  ]
}

/** A row of several days counts as one of its first day. */
async function measureKept(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
  const { rows } = await sql<{ day: number; bytes: number }>`
    select floor(date_part('epoch', first_time) / 86400)::int as day, sum(octet_length(data))::float8 as bytes
    from kept_rollups where tenant_number = ${tenantNumber}::int group by 1`.execute(db)
  return rows.map(({ day, bytes }) => ({ tier: 'rollups', day, values: 0, bytes, isEstimate: false }))
}

export interface ExpiringTelemetry {
  /** Samples before this time. */
  before: string
  samples: number
  bytes: number
  isEstimate: boolean
}

/**
 * Measures the samples that a retention of this many days would delete.
 * @param rollupDays for how long their rollups are kept; these take about as many bytes as those of packed samples
 * [docs/telemetry#retention]
 */
export async function measureExpiring(
  db: Kysely<Tables>,
  tenantNumber: number,
  { days, rollupDays, nowMs }: { days: number; rollupDays: number | null; nowMs: number },
): Promise<ExpiringTelemetry> {
  const firstKept = firstKeptDay(days, nowMs)
  const firstKeptRollup = firstKeptDay(rollupDays ?? days, nowMs)
  const expiring = (await readUsage(db, tenantNumber)).filter(
    ({ day, tier }) => day < (tier === 'rollups' ? firstKeptRollup : firstKept),
  )
  const { values, bytes } = sumAmounts(expiring)
  return {
    before: startOfDay(firstKept),
    samples: values,
    bytes,
    isEstimate: expiring.some(
      ({ isEstimate, tier }) => isEstimate || (rollupDays !== null && tier !== 'rollups'),
    ),
  }
}
