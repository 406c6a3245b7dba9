/** Summarizes the measured days of a tenant: tiers, ages and growth. [docs/telemetry#storage-used] */
import { dayNumber, startOfDay } from '../storage/partition-names.ts'
import { GROWTH_DAYS } from './disk-forecast.ts'
import type { MeasuredUsage } from './recent-usage.ts'
import type { TelemetryStorage } from './schema.ts'
import { type Amount, type DayUsage, sumAmounts, tiers } from './usage.ts'

/** Ages in days at which the groups begin. */
const AGES = [0, 1, 7, 30, 90, 365]

export function describeUsage({
  measuredMs,
  retentionDays,
  days,
}: MeasuredUsage): Omit<TelemetryStorage, 'disk'> {
  const today = dayNumber(measuredMs)
  return {
    measuredAt: new Date(measuredMs).toISOString(),
    ...describeAmount(days),
    isEstimate: days.some(({ isEstimate }) => isEstimate),
    tiers: tiers.map((tier) => {
      const own = days.filter((one) => one.tier === tier)
      const numbers = own.map(({ day }) => day)
      const [oldest, newest] = [Math.min(...numbers), Math.max(...numbers)]
      return {
        tier,
        ...describeAmount(own),
        oldestDay: own.length > 0 ? formatDay(oldest) : null,
        newestDay: own.length > 0 ? formatDay(newest) : null,
      }
    }),
    ages: listAges(days, today),
    growth: describeGrowth(days, { today, retentionDays }),
  }
}

const formatDay = (day: number) => startOfDay(day).slice(0, 10)

function describeAmount(amounts: Amount[]) {
  const sum = sumAmounts(amounts)
  return { ...sum, bytesPerValue: sum.values > 0 ? Math.round((sum.bytes / sum.values) * 100) / 100 : null }
}

const listAges = (days: DayUsage[], today: number): TelemetryStorage['ages'] =>
  tiers.flatMap((tier) =>
    AGES.map((fromDays, index) => {
      const toDays = AGES[index + 1] ?? Infinity
      const own = days.filter((one) => {
        const age = Math.max(0, today - one.day)
        return one.tier === tier && age >= fromDays && age < toDays
      })
      return { tier, fromDays, toDays: AGES[index + 1] ?? null, ...sumAmounts(own) }
    }).filter(({ bytes }) => bytes > 0),
  )

/** Uses the size of packed values and their rollups, because values that are not packed yet take more bytes. */
function describeGrowth(
  days: DayUsage[],
  { today, retentionDays }: { today: number; retentionDays: number | null },
): TelemetryStorage['growth'] {
  const first = Math.min(...days.map(({ day }) => day))
  const count = Math.max(0, Math.min(GROWTH_DAYS, today - first))
  const valuesIn = (from: number, to: number) =>
    sumAmounts(days.filter(({ day }) => day >= from && day < to)).values
  const perDay = (values: number) => (count > 0 ? Math.round(values / count) : 0)
  const bytesPerValue = findLastBytesPerValue(days)
  const valuesPerDay = perDay(valuesIn(today - count, today))
  const firstKept = today - (retentionDays ?? Infinity)
  return {
    days: count,
    valuesPerDay,
    bytesPerDay: Math.round(valuesPerDay * bytesPerValue),
    expiringBytesPerDay: Math.round(perDay(valuesIn(firstKept, firstKept + count)) * bytesPerValue),
  }
}

function findLastBytesPerValue(days: DayUsage[]): number {
  const packed = sumAmounts(days.filter(({ tier }) => tier !== 'rows'))
  const { values, bytes } = packed.values > 0 ? packed : sumAmounts(days)
  return values > 0 ? bytes / values : 0
}
