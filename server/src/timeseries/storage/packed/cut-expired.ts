/**
 * Deletes the expired days of pieces that also have later ones; of tenants that keep rollups, the expired days of all pieces.
 * [docs/telemetry#retention]
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { unpackRows } from './unpacked-rows.ts'
import { type ExpiredSpan, listExpiredSpans } from '../expired-spans.ts'
import { listFormerPartitions } from '../former/former-partitions.ts'
import { createKeptWriter, KEPT_LIMITS, type KeptLimits } from './keep-rollups.ts'
import { lockStreams } from './lock-streams.ts'
import { findRow, sliceRows } from './merge-unpacked-rows.ts'
import { PACKED_CELLS } from './merge-limits.ts'
import { epochMs, weighPiece } from './piece-places.ts'
import { createPieceWriter, takePieces, type WantedPieces } from './pieces.ts'
import { type ChangeContext, repeatChanges } from './repeat-changes.ts'

export const CUT_EXPIRED = 'cut-expired-telemetry'

/** Maximum number of streams of one transaction. */
const STREAMS = 100
/** Maximum number of pieces of one stream in one transaction. */
const PIECES_A_STREAM = 50

/** The earliest valid time. */
const FIRST_TIME = '0001-01-01T00:00:00Z'
/** Packing that is further behind is not waited for. */
const PACKING_DAYS = 7

interface CutSpan extends ExpiredSpan {
  keepsRollups: boolean
}

interface CutOptions {
  /** Where an earlier call stopped: only streams with a higher number are processed. */
  after?: number | undefined
  /** The time after which no further transaction begins. There is at least one. */
  untilMs?: number
  nowMs?: number
  limits?: CutLimits | undefined
}

export interface CutLimits {
  /** Maximum number of values in the pieces of a transaction, unless it is one piece. */
  cells: number
  kept: KeptLimits
}

const CUT_LIMITS: CutLimits = { cells: PACKED_CELLS, kept: KEPT_LIMITS }

/** @returns the number of the last stream that was processed, or undefined if none is left */
export async function cutExpiredPieces(
  ctx: ChangeContext,
  { after, untilMs = Infinity, nowMs = Date.now(), limits = CUT_LIMITS }: CutOptions = {},
): Promise<number | undefined> {
  const spans = await listSpans(ctx.pool, nowMs)
  if (spans.length === 0) return undefined
  const last = await repeatChanges(ctx, {
    after: after ?? 0,
    untilMs,
    change: (tx, stream) => cutSome(tx, { spans, after: stream, limits }),
  })
  return last === 'done' ? undefined : last
}

async function listSpans(pool: ChangeContext['pool'], nowMs: number): Promise<CutSpan[]> {
  const cut = await listExpiredSpans(pool, { keepRollups: false, nowMs })
  const rolledUp: ExpiredSpan[] = []
  // Former samples are moved to rows within minutes, and then packed.
  for (const span of await listExpiredSpans(pool, { keepRollups: true, nowMs }))
    if ((await listFormerPartitions(pool, span.tenantNumber)).length === 0) rolledUp.push(span)
  return [
    ...cut.map((span) => ({ ...span, keepsRollups: false })),
    ...rolledUp.map((span) => ({ ...span, keepsRollups: true })),
  ]
}

/** @returns the number of the last stream that was processed, or 'done' if none is left */
async function cutSome(tx: Kysely<Tables>, part: CutPart): Promise<number | 'done'> {
  const { cuts, last } = await chooseCuts(tx, part)
  if (cuts.length === 0) return last
  // All of them exist: the transaction fails, and is repeated, if a listed one was deleted meanwhile.
  await lockStreams(tx, cuts)
  const taken = await takePieces(tx, cuts)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, {})
  const streamNumbers = cuts.flatMap((cut) => (cut.completeMs === null ? [] : [cut.streamNumber]))
  const kept = await createKeptWriter(tx, { streamNumbers, limits: part.limits.kept, turn })
  // Rollups are joined in the order of the pieces.
  for (const [index, { beforeMs, completeMs, ...place }] of cuts.entries())
    for (const packed of taken.get(index) ?? []) {
      const rows = await unpackRows(packed, turn)
      const firstKept = findFirstKept(rows.times, { beforeMs, isDivided: isDivided(cuts, index) })
      // Samples that came too late have no rollups.
      const firstRolled = completeMs === null ? firstKept : findRow(rows.times, completeMs + 1)
      if (firstRolled < firstKept) await kept.add(place, sliceRows(rows, firstRolled, firstKept))
      if (firstKept < rows.times.length)
        await writer.add(place, sliceRows(rows, firstKept, rows.times.length))
    }
  await writer.flush()
  await kept.flush()
  return last
}

/** Whether the next transaction gets samples of the last millisecond of this piece: they have one rollup, made then. */
const isDivided = (cuts: Cut[], index: number): boolean =>
  cuts[index]!.isContinued && cuts[index]!.streamNumber !== cuts[index + 1]?.streamNumber

/** @returns the index of the first row that stays */
function findFirstKept(
  times: Float64Array,
  { beforeMs, isDivided: divided }: { beforeMs: number; isDivided: boolean },
): number {
  const lastMs = times.at(-1)!
  return findRow(times, divided && times[0]! < lastMs ? lastMs : beforeMs)
}

interface CutPart {
  spans: CutSpan[]
  /** Only streams with a higher number are processed. */
  after: number
  limits: CutLimits
}

interface Cut extends WantedPieces {
  beforeMs: number
  /** The time up to which the rollups of the stream are complete; null if none are kept. */
  completeMs: number | null
  /** Whether the next piece, which expires too, begins in the last millisecond of this one. */
  isContinued: boolean
  isInstant: boolean
}

interface StreamRow {
  tenant_number: number
  stream_number: number
  before_ms: number
  complete_ms: number | null
  /** Null if the stream has no piece to cut. */
  first_ms: number | null
  last_ms: number
  next_ms: number | null
  first_message: string
  row_count: number
  column_count: number
  bytes: number
}

/** Chooses the pieces of the next streams, at least one, until they reach the limit of a transaction. */
async function chooseCuts(
  tx: Kysely<Tables>,
  { spans, after, limits }: CutPart,
): Promise<{ cuts: Cut[]; last: number | 'done' }> {
  const rows = await listStreams(tx, spans, after)
  const cuts: Cut[] = []
  let last = after
  let [cells, ofStream] = [0, 0]
  for (const [index, row] of rows.entries()) {
    if (row.first_ms !== null) {
      ofStream++
      cells += weighPiece({ rowCount: row.row_count, columnCount: row.column_count, bytes: row.bytes })
      const previous = cuts.at(-1)
      // The millisecond of such a piece would be divided again.
      const isAttached = previous?.isContinued && previous.isInstant
      if (cells > limits.cells && previous && !isAttached) return { cuts, last }
      cuts.push({
        tenantNumber: row.tenant_number,
        streamNumber: row.stream_number,
        beforeMs: row.before_ms,
        completeMs: row.complete_ms,
        isContinued: row.next_ms === row.last_ms,
        isInstant: row.first_ms === row.last_ms,
        pieces: [{ firstMs: row.first_ms, firstMessage: BigInt(row.first_message) }],
      })
    }
    if (rows[index + 1]?.stream_number === row.stream_number) continue
    // The stream may have more pieces: it is processed again.
    if (ofStream === PIECES_A_STREAM) return { cuts, last }
    ofStream = 0
    last = row.stream_number
  }
  return { cuts, last: rows.length === 0 ? 'done' : last }
}

/**
 * Lists the next streams, each with its piece that begins before the first day that is kept and ends after it. Where rollups are
 * kept, these are its first pieces before that day, or before the first day with rows that are not packed yet.
 */
async function listStreams(tx: Kysely<Tables>, spans: CutSpan[], after: number): Promise<StreamRow[]> {
  const ofStream = sql`tenant_number = stream.tenant_number and stream_number = stream.number`
  const piece = (next: RawBuilder<unknown>) => sql`
    select first_time, first_message, last_time, ${next} as next_time, row_count, cardinality(sections) as column_count,
      octet_length(data) as bytes from packed_rows where ${ofStream} and first_time < before`
  const { rows } = await sql<StreamRow>`
    select stream.tenant_number, stream.number as stream_number, ${epochMs('before')} as before_ms,
      case when keeps_rollups then ${epochMs('complete')} end as complete_ms,
      ${epochMs('first_time')} as first_ms, ${epochMs('last_time')} as last_ms, ${epochMs('next_time')} as next_ms,
      first_message, row_count, column_count, bytes
    from (select number, tenant_number from streams where number > ${after}::int order by number limit ${STREAMS}) stream
    left join unnest(${spans.map(({ tenantNumber }) => tenantNumber)}::int[],
      ${spans.map(({ beforeMs }) => new Date(beforeMs).toISOString())}::timestamptz[],
      ${spans.map(({ keepsRollups }) => keepsRollups)}::bool[]) as expired (tenant_number, expired_before, keeps_rollups)
      using (tenant_number)
    cross join lateral (
      select coalesce((select last_time from kept_rollups where ${ofStream} and keeps_rollups
        order by first_time desc, first_message desc limit 1), ${FIRST_TIME}::timestamptz) as complete
    ) kept
    cross join lateral (
      select least(expired_before, (
        select date_trunc('day', min(time), 'UTC') from sample_rows where ${ofStream} and keeps_rollups and time > complete
          and time >= expired_before - ${PACKING_DAYS}::int * interval '1 day' and time < expired_before)) as before
    ) packed
    left join lateral (
      (${piece(sql`null::timestamptz`)} and not keeps_rollups order by first_time desc, first_message desc limit 1)
      union all
      (${piece(sql`lead(first_time) over (order by first_time, first_message)`)} and keeps_rollups order by first_time, first_message limit ${PIECES_A_STREAM})
    ) piece on keeps_rollups or last_time >= before
    order by stream.number, first_time, first_message`.execute(tx)
  return rows
}
