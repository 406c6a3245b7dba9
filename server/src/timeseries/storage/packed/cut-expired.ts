/** Deletes the expired days of pieces that also have later ones. [docs/telemetry#retention] */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { unpackRows } from './unpacked-rows.ts'
import { type ExpiredSpan, listExpiredSpans } from './delete-packed.ts'
import { giveWay } from './give-way.ts'
import { lockStreams } from './lock-streams.ts'
import { findRow, sliceRows } from './merge-unpacked-rows.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { changePieces, RETRY_MS } from './pack-lock.ts'
import { epochMs } from './piece-places.ts'
import { createPieceWriter, takePieces, type WantedPiece } from './pieces.ts'

export const CUT_EXPIRED = 'cut-expired-telemetry'

/** Maximum number of pieces of one transaction. */
const PIECES = 500

interface CutOptions {
  /** The time at which to stop; the next call continues. */
  untilMs?: number
  nowMs?: number
}

/** @returns whether nothing is left to do */
export async function cutExpiredPieces(
  { pool, db }: { pool: pg.Pool; db: Kysely<Tables> },
  { untilMs = Infinity, nowMs = Date.now() }: CutOptions = {},
): Promise<boolean> {
  for (const expired of await listExpiredSpans(pool, nowMs))
    for (let count: number | 'busy' = PIECES; count === PIECES || count === 'busy';) {
      if (Date.now() >= untilMs) return false
      const startMs = performance.now()
      count = await changePieces(db, (tx) => cutSome(tx, expired))
      if (count === 'busy') await sleep(RETRY_MS)
      else if (count === PIECES) await giveWay(pool, performance.now() - startMs, untilMs)
    }
  return true
}

/** @returns the number of pieces that were cut */
async function cutSome(tx: Kysely<Tables>, expired: ExpiredSpan): Promise<number> {
  const wanted = await listCutPieces(tx, expired)
  const existing = await lockStreams(tx, wanted)
  const taken = await takePieces(tx, wanted)
  const turn = takeTurns()
  const writer = createPieceWriter(tx, turn, {})
  for (const [index, packed] of taken) {
    const rows = await unpackRows(packed, turn)
    const kept = sliceRows(rows, findRow(rows.times, expired.beforeMs), rows.times.length)
    if (existing.has(wanted[index]!.streamNumber)) await writer.add(wanted[index]!, kept)
  }
  await writer.flush()
  return wanted.length
}

async function listCutPieces(
  tx: Kysely<Tables>,
  { tenantNumber, beforeMs }: ExpiredSpan,
): Promise<WantedPiece[]> {
  const before = sql`${new Date(beforeMs).toISOString()}::timestamptz`
  const { rows } = await sql<{ stream_number: number; first_ms: number; first_message: string }>`
    select stream_number, ${epochMs('first_time')} as first_ms, first_message from packed_rows
    where tenant_number = ${tenantNumber}::int and first_time < ${before} and last_time >= ${before}
      and last_time < ${before} + ${MERGE_LIMITS.days}::int * interval '1 day'
    limit ${PIECES}`.execute(tx)
  return rows.map((row) => ({
    tenantNumber,
    streamNumber: row.stream_number,
    piece: { firstMs: row.first_ms, firstMessage: BigInt(row.first_message) },
  }))
}
