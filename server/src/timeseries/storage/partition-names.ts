/**
 * sample_rows → sample_rows_20261121 (a day of all tenants, UTC), sample_rows_before and sample_rows_after (the times without
 * days of their own), and sample_rows_rest (days whose partition does not exist). Only numbers vary in the names, so they
 * need no quotes in SQL.
 */
export const DAY_MS = 86_400_000
export const rowTable = 'sample_rows'
export const restPartition = `${rowTable}_rest`
/** The time before `FIRST_DAY`. */
export const beforePartition = `${rowTable}_before`
/** The time from `END_DAY` on: that of devices whose clock is wrong. */
export const afterPartition = `${rowTable}_after`

/** Days since 1970, UTC. */
export const dayNumber = (timeMs: number) => Math.floor(timeMs / DAY_MS)
/**
 * Creating the partition of a day reads the whole default partition. Therefore years of imported history are apart from it;
 * their partition is neither divided nor read then.
 */
export const FIRST_DAY = dayNumber(Date.UTC(2025, 0))
export const END_DAY = dayNumber(Date.UTC(2036, 0))
export const startOfDay = (day: number) => new Date(day * DAY_MS).toISOString()

export const dayPartition = (day: number) => `${rowTable}_${dayDigits(day)}`

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
