/**
 * Writes rollups whose samples are deleted. A stream's rollups of several transactions and nights share a row, because a row
 * of its own takes more bytes than the rollups of a day with few samples. [docs/telemetry#rollups-that-are-kept]
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { Turn } from '../../../lib/take-turns.ts'
import {
  joinSpans,
  type KeptSpan,
  packSpan,
  type PackedSpan,
  packSpanExactly,
  rollUpRows,
  unpackColumns,
} from './kept-span.ts'
import { epochMs, type StreamPlace } from './piece-places.ts'
import type { UnpackedRows } from './unpacked-rows.ts'

/** A row that has as many bytes gets no more rollups, since it is then written again. */
export interface KeptLimits {
  bytes: number
  /** The higher limit of a stream with many series. */
  bytesASeries: number
}

export const KEPT_LIMITS: KeptLimits = { bytes: 2000, bytesASeries: 200 }

interface StoredRow extends Pick<KeptSpan, 'firstMs' | 'lastMs' | 'firstMessage'> {
  packed: PackedSpan
}

/** The row of a stream to which the next rollups are added. */
interface OpenRow {
  place: StreamPlace
  span: KeptSpan
  packed: PackedSpan
  isChanged: boolean
}

export interface KeptWriter {
  /** @param rows of one stream after the other, in time order; their samples are deleted in the same transaction */
  add(place: StreamPlace, rows: UnpackedRows): Promise<void>
  flush(): Promise<void>
}

/** Limits of one INSERT statement: few enough parameters, and few enough bytes to hold twice. */
const ROWS_A_STATEMENT = 200
const BYTES_A_STATEMENT = 4 * 1024 * 1024

/** @param streamNumbers of all rows that will be added */
export async function createKeptWriter(
  tx: Kysely<Tables>,
  { streamNumbers, limits, turn }: { streamNumbers: number[]; limits: KeptLimits; turn: Turn },
): Promise<KeptWriter> {
  const stored = await readLastRows(tx, streamNumbers, limits)
  const statement = createStatement(tx)
  let open: OpenRow | undefined
  const close = async () => {
    if (open?.isChanged) await statement.add(open)
    open = undefined
  }
  return {
    add: async (place, rows) => {
      if (open?.place.streamNumber !== place.streamNumber) {
        await close()
        open = await openRow(place, stored.get(place.streamNumber), turn)
      }
      const span = await rollUpRows(rows, { before: open?.span, turn })
      if (!span) return
      const joined = open && isSmall(open.packed, limits) ? await join(open, span, turn) : undefined
      if (!joined) await close()
      open = joined ?? { place, span, packed: await packSpan(span, turn), isChanged: true }
    },
    flush: async () => {
      await close()
      await statement.flush()
    },
  }
}

const isSmall = ({ data, slots }: PackedSpan, { bytes, bytesASeries }: KeptLimits) =>
  data.length < Math.max(bytes, slots.length * bytesASeries)

async function openRow(
  place: StreamPlace,
  row: StoredRow | undefined,
  turn: Turn,
): Promise<OpenRow | undefined> {
  if (!row) return undefined
  const { packed, ...span } = row
  const columns = await unpackColumns(packed, turn)
  return { place, span: { ...span, columns }, packed, isChanged: false }
}

/** @returns undefined if they cannot be joined, or not without loss */
async function join(open: OpenRow, added: KeptSpan, turn: Turn): Promise<OpenRow | undefined> {
  const span = joinSpans(open.span, added)
  const packed = span && (await packSpanExactly(span, turn))
  return packed && { ...open, span, packed, isChanged: true }
}

function createStatement(tx: Kysely<Tables>) {
  let rows: RawBuilder<unknown>[] = []
  let bytes = 0
  const flush = async () => {
    if (rows.length > 0)
      await sql`insert into kept_rollups values ${sql.join(rows)}
        on conflict (tenant_number, stream_number, first_time, first_message) do update
        set last_time = excluded.last_time, slots = excluded.slots, ends = excluded.ends, data = excluded.data`.execute(
        tx,
      )
    rows = []
    bytes = 0
  }
  return {
    add: async (row: OpenRow) => {
      rows.push(formatRow(row))
      bytes += row.packed.data.length
      if (rows.length === ROWS_A_STATEMENT || bytes >= BYTES_A_STATEMENT) await flush()
    },
    flush,
  }
}

function formatRow({ place, span, packed: { slots, ends, data } }: OpenRow): RawBuilder<unknown> {
  const time = (ms: number) => new Date(ms).toISOString()
  return sql`(${place.tenantNumber}::int, ${place.streamNumber}::int, ${time(span.firstMs)}::timestamptz,
    ${`${span.firstMessage}`}::bigint, ${time(span.lastMs)}::timestamptz, ${slots}::int[], ${ends}::int[], ${data}::bytea)`
}

interface LastRow extends PackedSpan {
  stream_number: number
  first_ms: number
  first_message: string
  last_ms: number
}

/** Reads the last row of each stream, if it is small. */
async function readLastRows(
  tx: Kysely<Tables>,
  streamNumbers: number[],
  { bytes, bytesASeries }: KeptLimits,
): Promise<Map<number, StoredRow>> {
  const found = new Map<number, StoredRow>()
  if (streamNumbers.length === 0) return found
  const { rows } = await sql<LastRow>`
    select stream_number, ${epochMs('first_time')} as first_ms, first_message, ${epochMs('last_time')} as last_ms, slots, ends, data
    from streams s cross join lateral (
      select * from kept_rollups where tenant_number = s.tenant_number and stream_number = s.number
      order by first_time desc, first_message desc limit 1
    ) last
    where s.number = any(${streamNumbers}::int[])
      and octet_length(data) < greatest(${bytes}::int, cardinality(slots) * ${bytesASeries}::int)`.execute(tx)
  for (const { stream_number: stream, first_ms, first_message, last_ms, ...packed } of rows)
    found.set(stream, {
      firstMs: first_ms,
      firstMessage: BigInt(first_message),
      lastMs: last_ms,
      packed,
    })
  return found
}
