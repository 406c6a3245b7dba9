/** Reads packed samples of one series into lists, for statements that combine them with rows. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { Series } from '../series.ts'
import { choosePieces, type PackedSpan } from './choose-pieces.ts'
import { findRow } from './merge-unpacked-rows.ts'
import { readPieces, type SeriesColumn } from './read-pieces.ts'
import { findRowBehind, type SamplePlace } from './sample-place.ts'

/** Samples in the order of time and message. */
export interface PackedSamples {
  /** Milliseconds since 1970. */
  times: number[]
  messageIds: bigint[]
  /** null where the value is no number. */
  numbers: (number | null)[]
  /** JSON texts; null where the value is a number. */
  others: (string | null)[]
}

interface SampleSpan extends PackedSpan {
  /** Only later samples are read. */
  after?: SamplePlace | undefined
  /** Maximum number of samples; it is exceeded only if more samples have the same time. */
  maxSamples?: number
}

export interface FoundPacked {
  samples: PackedSamples
  /** All packed samples before this time were read, and no later ones. */
  to: number
}

/**
 * Limit for texts, in characters for each allowed row: once it is exceeded, no further piece is unpacked. A piece has
 * up to a few megabytes.
 */
const TEXT_A_ROW = 20

const createPackedSamples = (): PackedSamples => ({
  times: [],
  messageIds: [],
  numbers: [],
  others: [],
})

/** Call it in a transaction with one snapshot, together with the statement that reads the unpacked rows. */
export async function readPacked(tx: Kysely<Tables>, series: Series, span: SampleSpan): Promise<FoundPacked> {
  const samples = createPackedSamples()
  const { pieces, to } = await choosePieces(tx, series, span)
  const turn = takeTurns()
  let [index, textLength, seen] = [0, 0, 0]
  for await (const piece of readPieces(tx, series, pieces, { hasMessages: true })) {
    await turn()
    addSamples(samples, piece, span)
    textLength += measureTexts(samples.others, seen)
    seen = samples.others.length
    const isEnough = seen >= (span.maxSamples ?? Infinity) || textLength >= span.maxRows * TEXT_A_ROW
    const [{ last_ms: lastMs }, next] = [pieces[index++]!, pieces[index]]
    if (next && isEnough && next.first_ms > lastMs) return cutSamples({ samples, to: next.first_ms }, span)
  }
  return cutSamples({ samples, to }, span)
}

function measureTexts(texts: (string | null)[], start: number): number {
  let length = 0
  for (let index = start; index < texts.length; index++) length += texts[index]?.length ?? 0
  return length
}

/** Removes samples at the end if there are too many; those with the same time stay together. */
function cutSamples({ samples, to }: FoundPacked, { maxSamples = Infinity }: SampleSpan): FoundPacked {
  const { times, messageIds, numbers, others } = samples
  const cutMs = times[maxSamples]
  const count = cutMs === undefined ? 0 : findRow(times, cutMs)
  if (cutMs === undefined || count === 0) return { samples, to }
  const kept = {
    times: times.slice(0, count),
    messageIds: messageIds.slice(0, count),
    numbers: numbers.slice(0, count),
    others: others.slice(0, count),
  }
  return { samples: kept, to: cutMs }
}

function addSamples(
  samples: PackedSamples,
  { times, messageIds, column }: SeriesColumn,
  { from, to, after }: SampleSpan,
): void {
  const { numberRows, numbers, otherRows, others } = column
  const start = after ? findRowBehind(times, messageIds!, after) : findRow(times, from)
  const end = findRow(times, to)
  let number = findRow(numberRows, start)
  let other = findRow(otherRows, start)
  for (;;) {
    const numberRow = numberRows[number] ?? Infinity
    const otherRow = otherRows[other] ?? Infinity
    const row = Math.min(numberRow, otherRow)
    if (row >= end) return
    samples.times.push(times[row]!)
    samples.messageIds.push(messageIds![row]!)
    samples.numbers.push(row === numberRow ? numbers[number++]! : null)
    samples.others.push(row === otherRow ? others[other++]! : null)
  }
}
