/** Adds the samples of a slice to buckets, from one snapshot of the database. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { AggregationType } from '../../lib/aggregation-types.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import {
  type ChosenPieces,
  cutPieces,
  listPieces,
  type SeriesPiece,
  weighSamples,
} from '../storage/packed/choose-pieces.ts'
import { KEPT_LENGTHS_MS } from '../storage/packed/kept-span.ts'
import { readPacked } from '../storage/packed/read-packed.ts'
import { readPieces } from '../storage/packed/read-pieces.ts'
import { readRollups } from '../storage/packed/read-rollups.ts'
import type { RolledUp } from '../storage/packed/rollup.ts'
import { addKeptRollups } from './add-kept-rollups.ts'
import type { Grid } from './bucket-grid.ts'
import type { Buckets } from './buckets.ts'
import { chooseRollups, hasRowsBetween } from './choose-rollups.ts'
import { listDays } from './piece-days.ts'
import { nextQueryTurn } from './query-turns.ts'
import { readRows, type ReadRows, ROW_LIMITS, type RowLimits, type WantedValues } from './read-rows.ts'
import { readSnapshot } from './read-snapshot.ts'
import { openCursor, visitBefore, visitMerged } from './sample-cursor.ts'
import type { Selection } from './selection.ts'

const LONGEST_MS = KEPT_LENGTHS_MS.at(-1)!
/** Maximum number of packed rows, and of rollups, that are read in one transaction. */
const PACKED_ROWS = 100_000

export interface Target {
  grid: Grid
  buckets: Buckets
  /** At least one. */
  types: AggregationType[]
}

/** @returns the time before which all samples were added */
export const readSlice = (db: Kysely<Tables>, slice: Selection, target: Target): Promise<number> =>
  readSnapshot(db, async (tx) => {
    if (slice.where) return addFiltered(tx, slice, target)
    // Samples of later days may be rolled up while the query runs.
    const hasKept = slice.rolledUpBeforeMs !== undefined
    const rolledUp = hasKept ? await addKeptRollups(tx, slice, target) : undefined
    if (rolledUp === undefined) return addAll(tx, slice, target)
    // Before the next slice, the other part of the half hour may be added to its rollup.
    const to = Math.min(Math.ceil(rolledUp / LONGEST_MS) * LONGEST_MS, slice.to)
    return rolledUp < to ? addAll(tx, { ...slice, from: rolledUp, to }, target) : to
  })

/** Limits the buckets that one slice may complete. */
const limitRows = ({ types }: Target): { packedRows: number; rows: RowLimits } => ({
  packedRows: PACKED_ROWS / types.length,
  rows: { ...ROW_LIMITS, rows: Math.ceil(ROW_LIMITS.rows / types.length) },
})

/** Reads packed samples piece by piece in this process, or their rollups. */
async function addAll(tx: Kysely<Tables>, slice: Selection, target: Target): Promise<number> {
  const { series, from } = slice
  const { buckets, types } = target
  const { pieces, lengths, rows, to } = await choosePieces(tx, slice, target)
  const rollups = await readRollups(tx, series, lengths)
  const span = { from, to }
  const cursor = openCursor(rows, span)
  const turn = takeTurns(nextQueryTurn)
  // The order of samples with equal times matters only to the first and last value.
  const hasMessages = types.includes('first') || types.includes('last')
  for (const run of divideRuns(pieces, rollups)) {
    const rolledUp = rollups.get(run[0]!)
    if (rolledUp) {
      const piece = run[0]!
      for (; cursor.timeMs < piece.first_ms; await turn()) visitBefore(cursor, piece.first_ms, buckets.add)
      await turn()
      addRollups(buckets, rolledUp, { piece, span })
      continue
    }
    for await (const samples of readPieces(tx, series, run, { hasMessages })) {
      const packed = openCursor(samples, span)
      do {
        await turn()
        visitMerged(packed, cursor, buckets.add)
      } while (packed.timeMs < Infinity)
    }
  }
  for (; cursor.timeMs < Infinity; await turn()) visitBefore(cursor, Infinity, buckets.add)
  return to
}

interface ChosenSlice extends ChosenPieces {
  /** The length of the rollups to read; pieces without one are read as samples. */
  lengths: Map<SeriesPiece, number>
  rows: ReadRows
}

async function choosePieces(tx: Kysely<Tables>, slice: Selection, target: Target): Promise<ChosenSlice> {
  const { series } = slice
  const { grid, types } = target
  const limits = limitRows(target)
  // Sent together. If the span ends earlier, with its pieces, the rows after it are ignored.
  const [listed, rows] = await Promise.all([
    listPieces(tx, series, slice),
    readRows(tx, slice, selectValues(types), limits.rows),
  ])
  const packedDays = listed.pieces.flatMap(listDays)
  await grid.prepare(tx, packedDays)
  const lengths = new Map<SeriesPiece, number>()
  for (const piece of types.includes('median') ? [] : listed.pieces) {
    const lengthMs = chooseRollups(piece, { ...slice, grid })
    if (lengthMs !== undefined) lengths.set(piece, lengthMs)
  }
  const cut = (found: ChosenPieces) =>
    cutPieces(found, { maxRows: limits.packedRows, weigh: (piece) => weigh(piece, lengths.get(piece)) })
  const chosen = cut(listed)
  const end = Math.min(chosen.to, rows.to)
  const before = chosen.pieces.filter(({ first_ms: firstMs }) => firstMs < end)
  for (const piece of before) if (hasRowsBetween(piece, rows.times)) lengths.delete(piece)
  const { pieces, to } = cut({ pieces: before, to: end })
  const read = new Set(pieces)
  for (const piece of lengths.keys()) if (!read.has(piece)) lengths.delete(piece)
  await grid.prepare(tx, [...packedDays, ...rows.times])
  return { pieces, lengths, rows, to }
}

const weigh = (piece: SeriesPiece, lengthMs: number | undefined): number =>
  lengthMs === undefined ? weighSamples(piece) : 1 + (piece.last_ms - piece.first_ms) / lengthMs

/** A piece with rollups is a run of its own; neighbours without them are read together. */
function divideRuns(pieces: SeriesPiece[], rollups: Map<SeriesPiece, RolledUp[]>): SeriesPiece[][] {
  const runs: SeriesPiece[][] = []
  for (const piece of pieces) {
    const run = runs.at(-1)
    if (run && !rollups.has(piece) && !rollups.has(run[0]!)) run.push(piece)
    else runs.push([piece])
  }
  return runs
}

interface RollupPlace {
  piece: SeriesPiece
  span: { from: number; to: number }
}

function addRollups(buckets: Buckets, rollups: RolledUp[], { piece, span }: RollupPlace): void {
  for (const rollup of rollups) {
    // The piece may begin inside its first rollup.
    const timeMs = Math.max(rollup.startMs, piece.first_ms)
    if (timeMs >= span.from && timeMs < span.to) buckets.addRollup(timeMs, rollup)
  }
}

/** Filters packed samples in the database, together with the rows. */
async function addFiltered(tx: Kysely<Tables>, slice: Selection, target: Target): Promise<number> {
  const { types } = target
  const limits = limitRows(target)
  const { samples, to } = await readPacked(tx, slice.series, { ...slice, maxRows: limits.packedRows })
  const rows = await readRows(tx, { ...slice, to, packed: samples }, selectValues(types), limits.rows)
  await addRows(tx, rows, target)
  return rows.to
}

/** Adds samples that were read already. */
export async function addRows(
  db: Kysely<Tables>,
  rows: ReadRows,
  { grid, buckets }: Pick<Target, 'grid' | 'buckets'>,
): Promise<void> {
  await grid.prepare(db, rows.times)
  const cursor = openCursor(rows, { from: -Infinity, to: rows.to })
  const turn = takeTurns(nextQueryTurn)
  for (; cursor.timeMs < Infinity; await turn()) visitBefore(cursor, Infinity, buckets.add)
}

/** avg, sum and median apply to numbers and booleans, min and max to numbers and strings. */
const wantedValues: Record<AggregationType, WantedValues> = {
  avg: 'numbers and booleans',
  sum: 'numbers and booleans',
  median: 'numbers and booleans',
  min: 'numbers and strings',
  max: 'numbers and strings',
  first: 'all',
  last: 'all',
}

export function selectValues(types: AggregationType[]): WantedValues {
  const [first, ...others] = new Set(types.map((type) => wantedValues[type]))
  return others.length === 0 ? first! : 'all'
}
