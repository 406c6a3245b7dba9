/** Rollups of a stream in memory, in the form in which a row of the table `kept_rollups` has them. */
import { DAY_MS } from '../partition-names.ts'
import type { Turn } from '../../../lib/take-turns.ts'
import { divideUnlessFew, listEnds, type PackedRollups } from './piece-rollups.ts'
import { packRollups, unpackRollups } from './rollup-codec.ts'
import { joinRollups, type RolledUp, rollUp, rollUpRounded } from './rollup.ts'
import type { RollupLimits } from './row-key.ts'
import type { UnpackedRows } from './unpacked-rows.ts'

/** Lengths of the buckets in the order in which they are stored. Half hours serve nearly all time zones. */
export const KEPT_LENGTHS_MS = [300_000, 1_800_000]

/** Half hours are made of all numbers. Without them there would be nothing left. */
const LIMITS: RollupLimits[] = [
  { values: 1, valuesABucket: 20 },
  { values: 1, valuesABucket: 1 },
]
/** A lower limit for a series whose row has rollups of five minutes, so that one near the limit shares a row of several nights. */
const CONTINUED_LIMITS: RollupLimits = { values: 1, valuesABucket: 10 }

/** Maximum span of a row that several nights share. Its last rollups are deleted with its first ones. */
const MAX_SPAN_MS = 31 * DAY_MS

export interface KeptSpan {
  /** The times of the first and the last sample. */
  firstMs: number
  lastMs: number
  firstMessage: bigint
  /** For each slot its rollups of each length, which are none, or those of all its numbers. */
  columns: Map<number, RolledUp[][]>
}

export interface PackedSpan extends PackedRollups {
  slots: number[]
}

/**
 * Rolls up the numbers of rows; other values have no rollups.
 * @param before the span that these rows may be joined to
 * @returns undefined if there are no numbers
 */
export async function rollUpRows(
  { times, messageIds, columns }: UnpackedRows,
  { before, turn }: { before: KeptSpan | undefined; turn: Turn },
): Promise<KeptSpan | undefined> {
  const rolledUp: KeptSpan['columns'] = new Map()
  for (const [slot, column] of columns) {
    if (column.numbers.length === 0) continue
    const lists: RolledUp[][] = []
    for (const [index, lengthMs] of KEPT_LENGTHS_MS.entries()) {
      await turn()
      const continues = index === 0 && hasRollups(before?.columns.get(slot)?.[index])
      const limits = continues ? CONTINUED_LIMITS : LIMITS[index]!
      const ranges = divideUnlessFew(times, column, { lengthMs, limits })
      lists.push(ranges ? (rollUp(column, ranges) ?? rollUpRounded(column, ranges)) : [])
    }
    rolledUp.set(slot, lists)
  }
  if (rolledUp.size === 0) return undefined
  return { firstMs: times[0]!, lastMs: times.at(-1)!, firstMessage: messageIds[0]!, columns: rolledUp }
}

const hasRollups = (list: RolledUp[] | undefined) => list !== undefined && list.length > 0

/** @returns undefined if they would be too long, or if a series has rollups of a length in one of them only */
export function joinSpans(before: KeptSpan, added: KeptSpan): KeptSpan | undefined {
  if (added.lastMs - before.firstMs > MAX_SPAN_MS) return undefined
  const columns = new Map(before.columns)
  for (const [slot, lists] of added.columns) {
    const known = columns.get(slot)
    const joined = known ? joinLists(known, lists) : lists
    if (!joined) return undefined
    columns.set(slot, joined)
  }
  return { ...before, lastMs: added.lastMs, columns }
}

function joinLists(known: RolledUp[][], added: RolledUp[][]): RolledUp[][] | undefined {
  const joined: RolledUp[][] = []
  for (const [index, list] of known.entries()) {
    const next = added[index]!
    const rollups = hasRollups(list) === hasRollups(next) ? joinRollups(list, next) : undefined
    if (!rollups) return undefined
    joined.push(rollups)
  }
  return joined
}

/** @returns undefined if a sum cannot be packed without loss */
export const packSpanExactly = (span: KeptSpan, turn: Turn): Promise<PackedSpan | undefined> =>
  packWith(span, turn, packRollups)

/** Rounds sums that cannot be packed without loss. */
export const packSpan = async (span: KeptSpan, turn: Turn): Promise<PackedSpan> =>
  (await packWith(span, turn, packRounded))!

/** Without remainders, all sums can be packed. */
const packRounded = (rollups: RolledUp[], lengthMs: number): Buffer =>
  packRollups(rollups, lengthMs) ??
  packRollups(
    rollups.map((rollup) => ({ ...rollup, sum: rollup.sum + rollup.remainder, remainder: 0 })),
    lengthMs,
  )!

async function packWith(
  { columns }: KeptSpan,
  turn: Turn,
  pack: (rollups: RolledUp[], lengthMs: number) => Buffer | undefined,
): Promise<PackedSpan | undefined> {
  const parts: Buffer[] = []
  for (const lists of columns.values())
    for (const [index, rollups] of lists.entries()) {
      await turn()
      const packed = rollups.length > 0 ? pack(rollups, KEPT_LENGTHS_MS[index]!) : Buffer.alloc(0)
      if (!packed) return undefined
      parts.push(packed)
    }
  return { slots: [...columns.keys()], ends: listEnds(parts), data: Buffer.concat(parts) }
}

export async function unpackColumns(
  { slots, ends, data }: PackedSpan,
  turn: Turn,
): Promise<KeptSpan['columns']> {
  const columns: KeptSpan['columns'] = new Map()
  for (const [index, slot] of slots.entries()) {
    await turn()
    const lists = KEPT_LENGTHS_MS.map((lengthMs, place) => {
      const part = index * KEPT_LENGTHS_MS.length + place
      const packed = data.subarray(ends[part - 1] ?? 0, ends[part])
      return packed.length > 0 ? unpackRollups(packed, lengthMs) : []
    })
    columns.set(slot, lists)
  }
  return columns
}
