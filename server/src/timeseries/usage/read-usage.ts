import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listPackedDays } from '../storage/packed/packed-days.ts'
import { firstKeptDay } from '../storage/expired-spans.ts'
import { startOfDay } from '../storage/partition-names.ts'
import { measureRows } from './measure-rows.ts'
import { type DayUsage, sumAmounts } from './usage.ts'

/** Measures the stored telemetry of a tenant, by day and tier. */
export const readUsage = async (db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> => [
  ...(await readStored(db, tenantNumber)),
  ...(await measureKept(db, tenantNumber)),
]

/** Measures samples, with the rollups of packed ones. */
async function readStored(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
  const rows = await measureRows(db, tenantNumber)
  const packed = await listPackedDays(db, tenantNumber)
  return [
    ...rows,
    ...[...packed.values()].flatMap(({ day, values, bytes, rollupBytes }): DayUsage[] => {
      const common = { day, isEstimate: false }
      const samples = { ...common, tier: 'packed', values, bytes } as const
      return rollupBytes > 0
        ? [samples, { ...common, tier: 'rollups', values: 0, bytes: rollupBytes }]
        : [samples]
    }),
  ]
}

/** Maximum number of streams of one statement. */
const STREAMS = 300
/** Estimated size of a row header, its fixed-length numbers, and its entries in both indexes. */
const ROW_BYTES = 120

/** Measures the rollups whose samples are deleted. A row of several days counts as one of its first day. */
async function measureKept(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
  const found: DayUsage[] = []
  for (let after: number | null = 0; after !== null;) {
    const { rows } = await sql<{ day: number | null; bytes: number; last: number | null }>`
      with part as (
        select number from streams where tenant_number = ${tenantNumber}::int and number > ${after}::int order by number limit ${STREAMS}
      )
      select floor(date_part('epoch', first_time) / 86400)::int as day, (select max(number) from part) as last,
        sum(octet_length(data) + pg_column_size(slots) + pg_column_size(ends) + ${ROW_BYTES}::int)::float8 as bytes
      from (select) one left join kept_rollups on tenant_number = ${tenantNumber}::int and stream_number in (select number from part)
      group by 1`.execute(db)
    for (const { day, bytes } of rows)
      if (day !== null) found.push({ tier: 'rollups', day, values: 0, bytes, isEstimate: false })
    after = rows[0]?.last ?? null
  }
  return found
}

export interface ExpiringTelemetry {
  /** Samples before this time; null if none expire. */
  before: string | null
  samples: number
  bytes: number
  isEstimate: boolean
}

/**
 * Measures what a retention would delete. [docs/telemetry#retention]
 * @param days null keeps all samples
 * @param rollupDays null deletes all rollups whose samples are gone. Else those of expired samples are kept; they are assumed to
 * take as many bytes as the rollups of packed samples
 */
export async function measureExpiring(
  db: Kysely<Tables>,
  tenantNumber: number,
  { days, rollupDays, nowMs }: { days: number | null; rollupDays: number | null; nowMs: number },
): Promise<ExpiringTelemetry> {
  const firstKept = days === null ? -Infinity : firstKeptDay(days, nowMs)
  const stored = days === null ? [] : await readStored(db, tenantNumber)
  const expiring = stored.filter(
    ({ day, tier }) => day < firstKept && !(rollupDays !== null && tier === 'rollups'),
  )
  const firstKeptRollup = rollupDays === null ? Infinity : firstKeptDay(rollupDays, nowMs)
  const kept = (await measureKept(db, tenantNumber)).filter(({ day }) => day < firstKeptRollup)
  const { values, bytes } = sumAmounts([...expiring, ...kept])
  return {
    before: days === null ? null : startOfDay(firstKept),
    samples: values,
    bytes,
    isEstimate: (rollupDays !== null && values > 0) || expiring.some(({ isEstimate }) => isEstimate),
  }
}
