import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listPackedDays } from '../storage/packed/packed-days.ts'
import { DAY_MS, dayNumber, startOfDay } from '../storage/partition-names.ts'
import { measureRows } from './measure-rows.ts'
import { type DayUsage, sumAmounts } from './usage.ts'

/** Measures the stored telemetry of a tenant, by day and tier. */
export async function readUsage(db: Kysely<Tables>, tenantNumber: number): Promise<DayUsage[]> {
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
  /** Samples before this time. */
  before: string
  samples: number
  bytes: number
  isEstimate: boolean
}

/** Measures the samples that a retention of this many days would delete. [docs/telemetry#retention] */
export async function measureExpiring(
  db: Kysely<Tables>,
  tenantNumber: number,
  { days, nowMs }: { days: number; nowMs: number },
): Promise<ExpiringTelemetry> {
  const firstKept = dayNumber(nowMs - days * DAY_MS)
  const expiring = (await readUsage(db, tenantNumber)).filter(({ day }) => day < firstKept)
  const { values, bytes } = sumAmounts(expiring)
  return {
    before: startOfDay(firstKept),
    samples: values,
    bytes,
    isEstimate: expiring.some(({ isEstimate }) => isEstimate),
  }
}
