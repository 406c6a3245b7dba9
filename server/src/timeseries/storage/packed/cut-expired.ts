/** Deletes the expired days of pieces that also have later ones. [docs/telemetry#retention] */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { unpackRows } from './unpacked-rows.ts'
import { type ExpiredSpan, listExpiredSpans } from './delete-packed.ts'
import { lockStreams } from './lock-streams.ts'
import { findRow, sliceRows } from './merge-unpacked-rows.ts'
import { PACKED_CELLS } from './merge-limits.ts'
import { epochMs, weighPiece } from './piece-places.ts'
import { createPieceWriter, takePieces, type WantedPieces } from './pieces.ts'
import { type ChangeContext, repeatChanges } from './repeat-changes.ts'

export const CUT_EXPIRED = 'cut-expired-telemetry'

/** Maximum number of streams of one transaction. */
const STREAMS = 1000

interface CutOptions {
  /** Where an earlier call stopped: only streams with a higher number are processed. */
  after?: number | undefined
  /** The time after which no further transaction begins. There is at least one. */
  untilMs?: number
  nowMs?: number
}

/** @returns the number of the last stream that was processed, or undefined if none is left */
export async function cutExpiredPieces(
  ctx: ChangeContext,
  { after, untilMs = Infinity, nowMs = Date.now() }: CutOptions = {},
): Promise<number | undefined> {
  const spans = await listExpiredSpans(ctx.pool, nowMs)
  if (spans.length === 0) return undefined
  const last = await repeatChanges(ctx, {
    after: after ?? 0,
    untilMs,
    change: (tx, stream) => cutSome(tx, spans, stream),
  })
  return last === 'done' ? undefined : last
}

/** @returns the number of the last stream that was processed, or 'done' if none is left */
async function cutSome(tx: Kysely<Tables>, spans: ExpiredSpan[], after: number): Promise<number | 'done'> {
  const { cuts, last } = await chooseCuts(tx, spans, after)
  if (cuts.length === 0) return last
  // All of them exist: the transaction fails, and is repeated, if a listed one was deleted meanwhile.
  await lockStreams(tx, cuts)
  const taken = await takePieces(tx, cuts)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, {})
  for (const [index, pieces] of taken) {
    const { beforeMs, ...place } = cuts[index]!
    for (const packed of pieces) {
      const rows = await unpackRows(packed, turn)
      await writer.add(place, sliceRows(rows, findRow(rows.times, beforeMs), rows.times.length))
    }
  }
  await writer.flush()
  return last
}

interface Cut extends WantedPieces {
  beforeMs: number
}

interface StreamRow {
  tenant_number: number
  stream_number: number
  before_ms: number
  /** Null if the stream has no piece to cut. */
  first_ms: number | null
  first_message: string
  row_count: number
  column_count: number
  bytes: number
}

/** Chooses the pieces of the next streams, at least one, until they reach the limit of a transaction. */
async function chooseCuts(
  tx: Kysely<Tables>,
  spans: ExpiredSpan[],
  after: number,
): Promise<{ cuts: Cut[]; last: number | 'done' }> {
  const rows = await listStreams(tx, spans, after)
  const cuts: Cut[] = []
  let last = after
  let cells = 0
  for (const row of rows) {
    if (row.first_ms !== null) {
      cells += weighPiece({ rowCount: row.row_count, columnCount: row.column_count, bytes: row.bytes })
      if (cells > PACKED_CELLS && cuts.length > 0) return { cuts, last }
      cuts.push({
        tenantNumber: row.tenant_number,
        streamNumber: row.stream_number,
        beforeMs: row.before_ms,
        pieces: [{ firstMs: row.first_ms, firstMessage: BigInt(row.first_message) }],
      })
    }
    last = row.stream_number
  }
  return { cuts, last: rows.length === 0 ? 'done' : last }
}

/** Lists the next streams, each with its piece that begins before the first day that is kept and ends after it. */
async function listStreams(tx: Kysely<Tables>, spans: ExpiredSpan[], after: number): Promise<StreamRow[]> {
  const { rows } = await sql<StreamRow>`
    select stream.tenant_number, stream.number as stream_number, ${epochMs('before')} as before_ms,
      ${epochMs('first_time')} as first_ms, first_message, row_count, column_count, bytes
    from (select number, tenant_number from streams where number > ${after}::int order by number limit ${STREAMS}) stream
    left join unnest(${spans.map(({ tenantNumber }) => tenantNumber)}::int[],
      ${spans.map(({ beforeMs }) => new Date(beforeMs).toISOString())}::timestamptz[]) as expired (tenant_number, before)
      using (tenant_number)
    left join lateral (
      select first_time, first_message, last_time, row_count, cardinality(sections) as column_count, octet_length(data) as bytes
      from packed_rows p where p.tenant_number = stream.tenant_number and p.stream_number = stream.number and first_time < before
      order by first_time desc, first_message desc limit 1
    ) piece on last_time >= before
    order by stream.number`.execute(tx)
  return rows
}
