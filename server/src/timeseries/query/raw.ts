/**
 * Stored samples in time order, page by page. No transaction stays open between pages, so that a slow reader occupies
 * nothing but its socket.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { takeTurns, type Turn } from '../../lib/take-turns.ts'
import { choosePieces } from '../storage/packed/choose-pieces.ts'
import { readPacked } from '../storage/packed/read-packed.ts'
import { readPieces, type SeriesColumn } from '../storage/packed/read-pieces.ts'
import type { SamplePlace } from '../storage/packed/sample-place.ts'
import { DAY_MS } from '../storage/partition-names.ts'
import { countReadable } from './count-readable.ts'
import { createPageWriter, type Output, type Page, pointsOfPage } from './page.ts'
import type { PointFormat } from './point-format.ts'
import { nextQueryTurn } from './query-turns.ts'
import { type ReadRows, type ReadSamples, readSamples } from './read-rows.ts'
import { readSnapshot } from './read-snapshot.ts'
import {
  isBefore,
  openCursor,
  type SampleCursor,
  SAMPLES_A_PART,
  visitBefore,
  visitOne,
} from './sample-cursor.ts'
import type { Selection } from './selection.ts'

export const PAGE_SIZE = 10_000
/** The largest page. Numbers reach `PAGE_SIZE` first, long strings reach this limit first. */
const PAGE_LENGTH = 512 * 1024
const WINDOW_GROWTH = 4
/** Number of packed rows that are read for a page at first, and the maximum if few of them have a suitable sample. */
const PACKED_ROWS = 25_000
const MAX_PACKED_ROWS = 100_000
/** Windows grow only while a search takes less than this time, since a statement may run for a few seconds at most. */
const QUICK_MS = 500

interface SampleOutput extends Output {
  /** All samples of the span, if they were read already. */
  rows?: ReadRows | undefined
}

/**
 * Searches the span in windows: one day at first, and longer ones where little was found. Planning a query takes
 * time for every partition that it may touch, and a page of a busy series needs only the first of them.
 * @returns whether there are more samples than the limit
 */
export async function* samplePages(
  db: Kysely<Tables>,
  selection: Selection,
  { format, limit, rows }: SampleOutput,
): AsyncGenerator<Page, boolean> {
  if (rows) {
    const page = await writeRows(rows, format)
    if (page) yield page
    return false
  }
  let { from } = selection
  let windowMs = DAY_MS
  let packedRows = PACKED_ROWS
  let after: SamplePlace | undefined
  for (let left = limit; from < selection.to;) {
    const windowEnd = Math.min(from + windowMs, selection.to)
    const startMs = performance.now()
    const window = { ...selection, from, to: windowEnd }
    const size = pointsOfPage(PAGE_SIZE, left)
    const { page, last, to } = await readPage(db, window, { after, size, format, packedRows })
    const isQuick = performance.now() - startMs < QUICK_MS
    if (page && left === 0) return true
    if (page) yield page
    left -= page?.count ?? 0
    after = last
    from = after?.timeMs ?? to
    if (after) {
      windowMs = DAY_MS
      packedRows = PACKED_ROWS
    } else if (isQuick) {
      if (to === windowEnd) windowMs *= WINDOW_GROWTH
      packedRows = Math.min(packedRows * WINDOW_GROWTH, MAX_PACKED_ROWS)
    }
  }
  return false
}

/** Writes samples that were read already, which are fewer than a page. */
async function writeRows(rows: ReadRows, format: PointFormat): Promise<Page | undefined> {
  const page = createPageWriter(format, { points: PAGE_SIZE, length: PAGE_LENGTH })
  const cursor = openCursor(rows, { from: -Infinity, to: rows.to })
  const turn = takeTurns(nextQueryTurn)
  for (; cursor.timeMs < Infinity; await turn()) visitBefore(cursor, Infinity, page.add)
  return page.finish()
}

interface PageRequest extends Pick<Output, 'format'> {
  /** Only later samples are read. */
  after: SamplePlace | undefined
  size: number
  packedRows: number
}

interface FoundPage {
  page: Page | undefined
  /** The last sample of the page if more may follow in the window. */
  last: SamplePlace | undefined
  /** Otherwise, all samples before this time were read, and no later ones. */
  to: number
}

/** Uses one snapshot, since rows may be packed at any time: it contains each sample once. */
const readPage = (
  db: Kysely<Tables>,
  window: Selection,
  { after, size, format, packedRows }: PageRequest,
): Promise<FoundPage> =>
  readSnapshot(db, async (tx) => {
    const { to, pieces, rows } = await findSamples(tx, window, { after, size, packedRows })
    const page = createPageWriter(format, { points: size, length: PAGE_LENGTH })
    const span = { from: window.from, to, after }
    const cursor = openCursor(rows, span)
    const isDone = () => page.isFull() || (rows.isCut && cursor.timeMs === Infinity)
    let last: SamplePlace | undefined
    const turn = takeTurns(nextQueryTurn)
    const fill = { visit: page.add, isDone, turn }
    for await (const piece of pieces) {
      await turn()
      const packedCursor = openCursor(piece, span)
      // Pieces follow that may have samples before the next row.
      if (packedCursor.timeMs === Infinity) continue
      last = await fillPage(fill, [packedCursor, cursor])
      if (last) break
    }
    last ??= await fillPage(fill, [openCursor(nothing, span), cursor])
    return { page: page.finish(), last, to }
  })

interface FoundSamples {
  /** All samples before this time are among the pieces and rows. */
  to: number
  pieces: AsyncIterable<SeriesColumn> | SeriesColumn[]
  rows: ReadSamples
}

/** The database filters packed samples together with the rows; otherwise pieces are read one after the other. */
async function findSamples(
  tx: Kysely<Tables>,
  window: Selection,
  { after, size, packedRows: maxRows }: Omit<PageRequest, 'format'>,
): Promise<FoundSamples> {
  const { series, where, from, to } = window
  const readRows = async (selection: Selection) => {
    const limits = { rows: await countReadable(tx, window, { after, size }), bytes: PAGE_LENGTH }
    return readSamples(tx, selection, { values: 'all', limits, after })
  }
  if (where) {
    const { samples: packed, to: end } = await readPacked(tx, series, { from, to, after, maxRows })
    return { to: end, pieces: [], rows: await readRows({ ...window, to: end, packed }) }
  }
  // Sent together. If the pieces end before the span, the rows after them are ignored.
  const [chosen, rows] = await Promise.all([
    choosePieces(tx, series, { from, to, maxRows }),
    readRows(window),
  ])
  return {
    to: chosen.to,
    pieces: readPieces(tx, series, chosen.pieces, { hasMessages: true }),
    rows: { ...rows, isCut: rows.isCut && rows.times.at(-1)! < chosen.to },
  }
}

const nothing: SeriesColumn = {
  times: new Float64Array(),
  messageIds: new BigInt64Array(),
  column: {
    numberRows: new Uint32Array(),
    numbers: new Float64Array(),
    otherRows: new Uint32Array(),
    others: [],
  },
}

interface Filling {
  visit: Parameters<typeof visitOne>[1]
  isDone(): boolean
  turn: Turn
}

/**
 * Visits the packed samples, and the rows before them; without packed samples it visits the remaining rows.
 * @returns the last visited sample if the page is done
 */
async function fillPage(
  { visit, isDone, turn }: Filling,
  [packed, rows]: [SampleCursor, SampleCursor],
): Promise<SamplePlace | undefined> {
  const isRest = packed.timeMs === Infinity
  for (let visited = 0; (isRest ? rows : packed).timeMs < Infinity; visited++) {
    if (visited % SAMPLES_A_PART === 0) await turn()
    const next = isBefore(rows, packed) ? rows : packed
    const { timeMs, row } = next
    visitOne(next, visit)
    if (isDone()) return { timeMs, messageId: next.messageIds![row]! }
  }
  return undefined
}
