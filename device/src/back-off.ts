// [docs/mqtt#back-off]
const START_MS = 1_000
const CAP_MS = 60_000

/**
 * The longest wait, in milliseconds, after a number of failures in a row: 1 s, 2 s, 4 s, … and at most 60 s.
 *
 * @param failures counted from 1
 */
export const backOffCeilingMs = (failures: number): number => Math.min(CAP_MS, START_MS * 2 ** (failures - 1))

/** Between zero and the ceiling: spreads devices that boot at the same time the most. */
export const fullJitterMs = (ceilingMs: number, random: number): number => Math.round(ceilingMs * random)

/** Between half of the ceiling and the ceiling: spreads a fleet, and still gives a restarting broker time. */
export const equalJitterMs = (ceilingMs: number, random: number): number =>
  Math.round((ceilingMs * (1 + random)) / 2)
