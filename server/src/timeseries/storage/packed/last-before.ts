/** Finds the newest packed sample before a time inside a piece, which must be unpacked. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { takeTurns } from '../../../lib/take-turns.ts'
import { findRow } from './merge-unpacked-rows.ts'
import { MERGE_LIMITS } from './merge-limits.ts'
import { epochMs } from './piece-places.ts'
import { type SeriesColumn, unpackSeries } from './read-pieces.ts'
import { section } from './section.ts'
import { selectPackedLast } from './select-last.ts'
import { mayBePacked } from './settling.ts'
import { startAround } from './start-around.ts'

interface WantedSample {
  tenantNumber: number
  streamNumber: number
  slot: number
  /** The time before which the sample is searched for. Milliseconds since 1970. */
  beforeMs: number
}

export interface PackedSample {
  timeMs: number
  messageId: bigint
  value: unknown
}

interface Row {
  place: number
  /** The columns of a piece that also has later samples of the series; null for the last sample of a piece. */
  row_count: number | null
  times: Buffer
  message_ids: Buffer
  values: Buffer
  /** The last sample of a piece; used if `row_count` is null. */
  last_ms: number
  last_message: string
  last_value: unknown
}

/** Maximum number of pieces of one statement. */
const PIECES = 4

/**
 * Call it after the statement that reads the rows and the last samples of all pieces, which does not find samples with
 * later ones in their piece. Packing may have made such a sample the last one of a smaller piece in the meantime, so
 * this function also reads the last samples of the pieces before again. A sample that is found twice does no harm.
 */
export async function listPackedBefore<Wanted extends WantedSample>(
  tx: Kysely<Tables>,
  all: Wanted[],
): Promise<Map<Wanted, PackedSample>> {
  const found = new Map<Wanted, PackedSample>()
  const nowMs = Date.now()
  const late = all.filter(({ beforeMs }) => mayBePacked(beforeMs - 1, nowMs))
  const turn = takeTurns()
  for (let start = 0; start < late.length; start += PIECES) {
    const part = late.slice(start, start + PIECES)
    for (const row of await findPieces(tx, part)) {
      await turn()
      const wanted = part[row.place - 1]!
      const sample = row.row_count === null ? readLast(row) : findLastSample(unpackRow(row), wanted.beforeMs)
      if (sample) found.set(wanted, newer(found.get(wanted), sample))
    }
  }
  return found
}

export const newer = (known: PackedSample | undefined, sample: PackedSample): PackedSample =>
  known && (known.timeMs - sample.timeMs || Number(known.messageId > sample.messageId)) > 0 ? known : sample

async function findPieces(tx: Kysely<Tables>, wanted: WantedSample[]): Promise<Row[]> {
  const place = {
    tenantNumber: sql.ref('w.tenant_number'),
    streamNumber: sql.ref('w.stream_number'),
    slot: sql.ref('w.slot'),
  }
  const pieceBefore = sql`w.time - ${MERGE_LIMITS.days}::int * interval '1 day'`
  const { rows } = await sql<Row>`
    with w as materialized (
      select * from unnest(${wanted.map((one) => one.tenantNumber)}::int[], ${wanted.map((one) => one.streamNumber)}::int[],
        ${wanted.map(({ slot }) => slot)}::int[], ${wanted.map(({ beforeMs }) => new Date(beforeMs - 1).toISOString())}::timestamptz[])
        with ordinality as w (tenant_number, stream_number, slot, time, place)
    )
    select place::int, row_count, ${section(sql`1`)} as times, ${section(sql`2`)} as message_ids, ${section(sql`index`)} as values,
      null::float8 as last_ms, null::bigint as last_message, null::jsonb as last_value
    from (
      select w.place, w.time, p.*, array_position(p.sections, w.slot) as index
      from w join packed_rows p on p.tenant_number = w.tenant_number and p.stream_number = w.stream_number
        and w.slot = any(p.sections) and p.first_time <= w.time and p.last_time >= w.time and p.first_time >= ${startAround(place, sql`w.time`)}
    ) piece where last_times[index] > time
    union all
    select place::int, null, null, null, null, ${epochMs('last.time')}, last.message_id, coalesce(last.other, to_jsonb(last.number))
    from w cross join lateral (${selectPackedLast(place, { from: pieceBefore, to: sql.ref('w.time') })}) last`.execute(
    tx,
  )
  return rows
}

const readLast = ({ last_ms: timeMs, last_message: messageId, last_value: value }: Row): PackedSample => ({
  timeMs,
  messageId: BigInt(messageId),
  value,
})

const unpackRow = (row: Row) => unpackSeries({ ...row, row_count: row.row_count! })

function findLastSample(
  { times, messageIds, column }: SeriesColumn,
  beforeMs: number,
): PackedSample | undefined {
  const end = findRow(times, beforeMs)
  const [number, other] = [findRow(column.numberRows, end) - 1, findRow(column.otherRows, end) - 1]
  const [numberRow, otherRow] = [column.numberRows[number] ?? -1, column.otherRows[other] ?? -1]
  const last = Math.max(numberRow, otherRow)
  if (last < 0) return undefined
  // The sign of zero is removed, because the other last values are jsonb, which has none.
  const value =
    numberRow > otherRow ? column.numbers[number]! + 0 : (JSON.parse(column.others[other]!) as unknown)
  return { timeMs: times[last]!, messageId: messageIds![last]!, value }
}
