/**
 * samples → samples_7 (tenant number 7) → samples_7_20261121 (a day, UTC) and samples_7_rest (every other time).
 * samples_other is divided in the same way. Only numbers vary in the names, so they need no quotes in SQL.
 */
export const sampleTables = ['samples', 'samples_other'] as const
export type SampleTable = (typeof sampleTables)[number]

export const DAY_MS = 86_400_000

/** Days since 1970, UTC. */
export const dayNumber = (timeMs: number) => Math.floor(timeMs / DAY_MS)
export const startOfDay = (day: number) => new Date(day * DAY_MS).toISOString()

export const tenantPartition = (table: SampleTable, tenantNumber: number) =>
  `${table}_${integer(tenantNumber)}`
export const restPartition = (table: SampleTable, tenantNumber: number) =>
  `${tenantPartition(table, tenantNumber)}_rest`
export const dayPartition = (table: SampleTable, tenantNumber: number, day: number) =>
  `${tenantPartition(table, tenantNumber)}_${dayDigits(day)}`

/** 20261121 */
export const dayDigits = (day: number) => startOfDay(integer(day)).slice(0, 10).replaceAll('-', '')

/** @returns the day, or undefined if the name is not that of a day's partition */
export function dayOfPartition(name: string): number | undefined {
  const digits = /_(\d{4})(\d{2})(\d{2})$/.exec(name)?.slice(1)
  return digits && dayNumber(Date.parse(digits.join('-')))
}

function integer(number: number): number {
  if (!Number.isInteger(number)) throw new Error(`${number} cannot be part of a table's name`)
  return number
}
