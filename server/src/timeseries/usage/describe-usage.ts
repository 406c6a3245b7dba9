/** Summarizes the measured days of a tenant: tiers, ages and growth. [docs/telemetry#storage-used] */
import { dayNumber, startOfDay } from '../storage/partition-names.ts'
import { GROWTH_DAYS } from './disk-forecast.ts'
import type { MeasuredUsage } from './recent-usage.ts'
import type { TelemetryStorage } from './schema.ts'
import { type DayUsage, sumAmounts, tiers } from './usage.ts'

/** Ages in days at which the groups begin. */
const AGES = [0, 1, 7, 30, 90, 365]

export function describeUsage({
  measuredMs,
  days,
  ...retention
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
    growth: describeGrowth(days, { today, ...retention }),
  }
}

const formatDay = (day: number) => startOfDay(day).slice(0, 10)

function describeAmount(days: DayUsage[]) {
  const { values, bytes } = sumAmounts(days.filter(hasSamples))
  return { ...sumAmounts(days), bytesPerValue: values > 0 ? Math.round((bytes / values) * 100) / 100 : null }
}

const hasSamples = ({ isKept }: DayUsage) => !isKept

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

interface GrowthOptions extends Pick<MeasuredUsage, 'retentionDays' | 'rollupRetentionDays'> {
  today: number
}

/** Uses the size of packed values and their rollups, because values that are not packed yet take more bytes. */
function describeGrowth(
  days: DayUsage[],
  { today, retentionDays, rollupRetentionDays }: GrowthOptions,
): TelemetryStorage['growth'] {
  const first = Math.min(...days.map(({ day }) => day))
  const count = Math.max(0, Math.min(GROWTH_DAYS, today - first))
  const sumFrom = (some: DayUsage[], from: number) =>
    sumAmounts(some.filter(({ day }) => day >= from && day < from + count))
  const perDay = (amount: number) => (count > 0 ? Math.round(amount / count) : 0)
  const bytesPerValue = findLastBytesPerValue(days.filter(hasSamples))
  const valuesPerDay = perDay(sumFrom(days, today - count).values)
  const firstKept = today - (retentionDays ?? Infinity)
  const kept = days.filter((one) => !hasSamples(one))
  const addedKept = sumFrom(kept, firstKept - count).bytes
  const expiringKept = sumFrom(kept, today - (rollupRetentionDays ?? Infinity)).bytes
  return {
    days: count,
    valuesPerDay,
    bytesPerDay: Math.round(valuesPerDay * bytesPerValue),
    expiringBytesPerDay:
      Math.round(perDay(sumFrom(days, firstKept).values) * bytesPerValue) + perDay(expiringKept - addedKept),
  }
}

function findLastBytesPerValue(days: DayUsage[]): number {
  const packed = sumAmounts(days.filter(({ tier }) => tier !== 'rows'))
  const { values, bytes } = packed.values > 0 ? packed : sumAmounts(days)
  return values > 0 ? bytes / values : 0
}
