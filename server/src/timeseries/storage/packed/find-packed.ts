/** Finds late messages that are packed already, since the unique key of `sample_rows` does not detect their duplicates. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { SampleRow } from '../sample-row.ts'
import { FILTER_SECTION, unpackMessageIds } from './unpacked-rows.ts'
import { findRow } from './merge-unpacked-rows.ts'
import { BLOCK_BYTES, hashMessage, mayContain } from './message-filter.ts'
import { section } from './section.ts'
import { mayBePacked } from './settling.ts'
import { startAround } from './start-around.ts'
import { unpackTimes } from './times.ts'

/** Maximum number of rows in the pieces that one statement reads. */
const ROWS_A_STATEMENT = 100_000

export const hasLateRows = (rows: Pick<SampleRow, 'timeMs'>[], nowMs = Date.now()): boolean =>
  rows.some(({ timeMs }) => mayBePacked(timeMs, nowMs))

/**
 * Call it after the statement that inserts the rows: that statement waits for a transaction that packs a row with the
 * same key, so a duplicate is detected either there or here. Only late rows are searched for.
 * @returns the rows that are packed already
 */
export async function findPackedRows<Row extends SampleRow>(
  tx: Kysely<Tables>,
  rows: Iterable<Row>,
  nowMs = Date.now(),
): Promise<Set<Row>> {
  const late = [...rows].filter(({ timeMs }) => mayBePacked(timeMs, nowMs))
  const found = await findPackedMessages(tx, late.map(describeRow))
  return new Set([...found].map((place) => late[place]!))
}

export const describeRow = (row: SampleRow): WantedMessage => ({
  ...row,
  sinceMs: row.timeMs,
  untilMs: row.timeMs,
})

export interface WantedMessage {
  tenantNumber: number
  streamNumber: number
  messageId: bigint
  /** The time span in which the message is searched for, both ends included. Milliseconds since 1970. */
  sinceMs: number
  untilMs: number
}

/** @returns the indexes of the messages that are packed */
export async function findPackedMessages(db: Kysely<Tables>, wanted: WantedMessage[]): Promise<Set<number>> {
  const found = new Set<number>()
  if (wanted.length === 0) return found
  const turn = takeTurns()
  for (const part of splitPieces(await listCandidates(db, wanted))) {
    const pieces = await readMessages(db, part)
    // A piece that is packed again meanwhile may have other rows. Its messages are searched for once more.
    if (pieces.length < part.length) return findPackedMessages(db, wanted)
    for (const piece of pieces) {
      await turn()
      const messages = unpackMessages(piece)
      for (const place of piece.places)
        if (findMessage(messages, wanted[place]!) !== undefined) found.add(place)
    }
  }
  return found
}

/** A piece that may contain some of the messages. */
export interface CandidatePiece {
  tenantNumber: number
  streamNumber: number
  firstTime: string
  firstMessage: string
  /** Another one once the piece is packed again, also if it still begins with the same row. */
  version: string
  rowCount: number
  /** Indexes of these messages. */
  places: number[]
}

interface CandidateRow extends Omit<CandidatePiece, 'places'> {
  place: number
  /** The block of the message filter; null if the piece has no filter. */
  block: Buffer | null
}

const wantedStream = { tenantNumber: sql`w.tenant_number`, streamNumber: sql`w.stream_number` }

/** Lists the pieces whose time span includes a message, without those that the filter excludes. */
export async function listCandidates(db: Kysely<Tables>, wanted: WantedMessage[]): Promise<CandidatePiece[]> {
  const time = (ms: number) => new Date(ms).toISOString()
  const { rows } = await sql<CandidateRow>`
    select p.tenant_number as "tenantNumber", p.stream_number as "streamNumber", p.first_time::text as "firstTime",
      p.first_message as "firstMessage", p.xmin::text as version, p.row_count as "rowCount", w.place::int - 1 as place,
      case when sections[3] = ${FILTER_SECTION}::int then
        substr(data, ends[2] + 1 + (w.hash % ((ends[3] - ends[2]) / ${BLOCK_BYTES}::int))::int * ${BLOCK_BYTES}::int, ${BLOCK_BYTES}::int)
      end as block
    from unnest(${wanted.map((one) => one.tenantNumber)}::int[], ${wanted.map((one) => one.streamNumber)}::int[],
      ${wanted.map(({ messageId }) => hashMessage(messageId).block)}::int8[], ${wanted.map(({ sinceMs }) => time(sinceMs))}::timestamptz[],
      ${wanted.map(({ untilMs }) => time(untilMs))}::timestamptz[]) with ordinality as w (tenant_number, stream_number, hash, since, until, place)
    join packed_rows p on p.tenant_number = w.tenant_number and p.stream_number = w.stream_number
      and p.first_time <= w.until and p.last_time >= w.since and p.first_time >= ${startAround(wantedStream, sql`w.since`)}`.execute(
    db,
  )
  const pieces = new Map<string, CandidatePiece>()
  for (const { place, block, ...piece } of rows) {
    if (block && !mayContain(block, wanted[place]!.messageId)) continue
    const key = `${piece.streamNumber} ${piece.firstTime} ${piece.firstMessage}`
    const known = pieces.get(key)
    if (known) known.places.push(place)
    else pieces.set(key, { ...piece, places: [place] })
  }
  return [...pieces.values()]
}

function* splitPieces(pieces: CandidatePiece[]): Generator<CandidatePiece[]> {
  let part: CandidatePiece[] = []
  let rows = 0
  for (const piece of pieces) {
    part.push(piece)
    rows += piece.rowCount
    if (rows < ROWS_A_STATEMENT) continue
    yield part
    part = []
    rows = 0
  }
  if (part.length > 0) yield part
}

interface PackedMessages extends CandidatePiece {
  times: Buffer
  messageIds: Buffer
}

/** Leaves out pieces that were packed again since they were listed. */
async function readMessages(db: Kysely<Tables>, pieces: CandidatePiece[]): Promise<PackedMessages[]> {
  const { rows } = await sql<{ place: number; times: Buffer; messageIds: Buffer }>`
    select w.place::int - 1 as place, ${section(sql`1`)} as times, ${section(sql`2`)} as "messageIds"
    from unnest(${pieces.map((piece) => piece.tenantNumber)}::int[], ${pieces.map((piece) => piece.streamNumber)}::int[],
      ${pieces.map((piece) => piece.firstTime)}::timestamptz[], ${pieces.map((piece) => piece.firstMessage)}::bigint[],
      ${pieces.map((piece) => piece.version)}::text[])
      with ordinality as w (tenant_number, stream_number, first_time, first_message, version, place)
    join packed_rows p using (tenant_number, stream_number, first_time, first_message)
    where p.xmin::text = w.version`.execute(db)
  return rows.map(({ place, ...packed }) => ({ ...pieces[place]!, ...packed }))
}

export interface UnpackedMessages {
  times: Float64Array
  messageIds: BigInt64Array
}

const unpackMessages = ({ times, messageIds, rowCount }: PackedMessages): UnpackedMessages => ({
  times: unpackTimes(times, rowCount),
  messageIds: unpackMessageIds(messageIds),
})

/** @returns the row of the message in its piece */
export function findMessage(
  { times, messageIds }: UnpackedMessages,
  { sinceMs, untilMs, messageId }: WantedMessage,
): number | undefined {
  for (let row = findRow(times, sinceMs); times[row]! <= untilMs; row++)
    if (messageIds[row] === messageId) return row
  return undefined
}
