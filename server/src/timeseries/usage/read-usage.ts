import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listPackedDays } from '../storage/packed/packed-days.ts'
import { firstKeptDay } from '../storage/expired-spans.ts'
import { startOfDay } from '../storage/partition-names.ts'
import { divideKept, listKeptDays } from './measure-kept.ts'
import { measureRows } from './measure-rows.ts'
import { type DayUsage, sumAmounts } from './usage.ts'

/** Measures the stored telemetry of a tenant, by day and tier. */
export const readUsage = async (db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> => [
  ...(await readStored(db, tenantNumber)),
  ...divideKept(await listKeptDays(db, tenantNumber)),
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
  const kept = (await listKeptDays(db, tenantNumber)).filter(({ lastDay }) => lastDay < firstKeptRollup)
  const { values, bytes } = sumAmounts([...expiring, ...kept.map((row) => ({ values: 0, bytes: row.bytes }))])
  return {
    before: days === null ? null : startOfDay(firstKept),
    samples: values,
    bytes,
    isEstimate: (rollupDays !== null && values > 0) || expiring.some(({ isEstimate }) => isEstimate),
  }
}
