import { DAY_MS, dayNumber } from '../partition-names.ts'

/** A day is packed this long after its end, when most delayed messages have arrived. */
export const SETTLING_MS = 6 * 3_600_000

/** Half of the settling time is reserved for clock differences between nodes. */
const LATE_MS = SETTLING_MS / 2

/** Rows from this time on are not packed yet. */
export const findUnpackedStart = (nowMs: number): number => dayNumber(nowMs - LATE_MS) * DAY_MS

/** Whether rows with this time may be packed already. */
export const mayBePacked = (timeMs: number, nowMs: number): boolean => timeMs < findUnpackedStart(nowMs)
