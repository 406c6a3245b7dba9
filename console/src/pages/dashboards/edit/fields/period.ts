/** A length of time of one unit as an ISO 8601 duration, such as `PT90M`. */
const forms = {
  minute: ['PT', 'M'],
  hour: ['PT', 'H'],
  day: ['P', 'D'],
  week: ['P', 'W'],
  month: ['P', 'M'],
  year: ['P', 'Y'],
} as const

export type PeriodUnit = keyof typeof forms
export const periodUnits = Object.keys(forms) as PeriodUnit[]

export function writeLength(count: number, unit: PeriodUnit): string {
  const [start, end] = forms[unit]
  return `${start}${count}${end}`
}

/** @returns undefined for a duration of several parts, and for what is none */
export function readLength(period: string): { count: number; unit: PeriodUnit } | undefined {
  const count = Number(/^PT?(\d{1,4})[A-Z]$/.exec(period)?.[1] ?? 0)
  const unit = periodUnits.find((one) => writeLength(count, one) === period)
  return count === 0 || unit === undefined ? undefined : { count, unit }
}
