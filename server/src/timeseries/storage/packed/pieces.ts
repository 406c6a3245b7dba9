/** The table `packed_rows`: each row is a piece, with rows of one stream. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { Turn } from '../../../lib/take-turns.ts'
import { type UnpackedRows, packRows, type PackedRows } from './unpacked-rows.ts'
import { countDayValues } from './divide-by-days.ts'
import type { PiecePlace, StreamPlace } from './piece-places.ts'
import { packPieceRollups, type PackedRollups } from './piece-rollups.ts'
import type { RollupLimits } from './row-key.ts'

export interface WantedPieces extends StreamPlace {
  pieces: Pick<PiecePlace, 'firstMs' | 'firstMessage'>[]
}

interface TakenPiece extends Omit<PackedRows, 'rowCount'> {
  place: number
  row_count: number
}

/**
 * Deletes pieces.
 * @returns their content by the index in the list; a piece that no longer exists is left out
 */
export async function takePieces(
  tx: Kysely<Tables>,
  all: WantedPieces[],
): Promise<Map<number, PackedRows[]>> {
  const wanted = all.flatMap(({ pieces, ...place }, index) =>
    pieces.map((piece) => ({ ...place, ...piece, index })),
  )
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<TakenPiece>`
    delete from packed_rows p using unnest(${wanted.map((one) => one.tenantNumber)}::int[],
      ${wanted.map((one) => one.streamNumber)}::int[], ${wanted.map(({ firstMs }) => formatTime(firstMs))}::timestamptz[],
      ${wanted.map(({ firstMessage }) => `${firstMessage}`)}::bigint[], ${wanted.map(({ index }) => index)}::int[])
      as wanted (tenant_number, stream_number, first_time, first_message, place)
    where p.tenant_number = wanted.tenant_number and p.stream_number = wanted.stream_number
      and p.first_time = wanted.first_time and p.first_message = wanted.first_message
    returning place, row_count, sections, ends, data`.execute(tx)
  const taken = new Map<number, PackedRows[]>()
  for (const { place, row_count: rowCount, ...packed } of rows) {
    const known = taken.get(place)
    if (known) known.push({ ...packed, rowCount })
    else taken.set(place, [{ ...packed, rowCount }])
  }
  return taken
}

export interface PieceWriter {
  add(place: StreamPlace, rows: UnpackedRows): Promise<void>
  flush(): Promise<void>
}

/** Limits of one INSERT statement: few enough parameters, and few enough bytes to hold twice. */
const PIECES_A_STATEMENT = 200
const BYTES_A_STATEMENT = 4 * 1024 * 1024

/** Inserts pieces with their rollups, many in one statement. */
export function createPieceWriter(
  tx: Kysely<Tables>,
  turn: Turn,
  limits: { rollups?: RollupLimits },
): PieceWriter {
  let pieces: RawBuilder<unknown>[] = []
  let bytes = 0
  const flush = async () => {
    if (pieces.length > 0) await sql`insert into packed_rows values ${sql.join(pieces)}`.execute(tx)
    pieces = []
    bytes = 0
  }
  return {
    add: async (place, rows) => {
      const packed = await packRows(rows, turn)
      const rollups = await packPieceRollups(rows, packed.sections, { turn, limits: limits.rollups })
      pieces.push(formatPiece(place, rows, { ...packed, rollups }))
      bytes += packed.data.length + (rollups?.data.length ?? 0)
      if (pieces.length === PIECES_A_STATEMENT || bytes >= BYTES_A_STATEMENT) await flush()
    },
    flush,
  }
}

function formatPiece(
  { tenantNumber, streamNumber }: StreamPlace,
  rows: UnpackedRows,
  { rowCount, sections, ends, data, rollups }: PackedRows & { rollups: PackedRollups | undefined },
): RawBuilder<unknown> {
  const lasts = sections.map((section) => findLast(rows, section))
  const lastOthers = lasts.flatMap((last, index) =>
    last?.other === undefined ? [] : `"${sections[index]}":${last.other}`,
  )
  const time = (row: number) => formatTime(rows.times[row]!)
  return sql`(${tenantNumber}::int, ${streamNumber}::int, ${time(0)}::timestamptz, ${`${rows.messageIds[0]}`}::bigint,
    ${time(rowCount - 1)}::timestamptz, ${rowCount}::int, ${countValues(rows)}::int, ${sections}::int[], ${ends}::int[],
    ${lasts.map((last) => time(last.row))}::timestamptz[], ${lasts.map((last) => `${rows.messageIds[last.row]}`)}::bigint[],
    ${lasts.map(({ number }) => formatNumber(number))}::float8[],
    ${lastOthers.length > 0 ? `{${lastOthers.join(',')}}` : null}::jsonb, ${data}::bytea,
    ${rollups?.ends ?? null}::int[], ${rollups?.data ?? null}::bytea,
    ${countDayValues(rows)}::smallint[])`
}

const countValues = ({ columns }: UnpackedRows): number => {
  let count = 0
  for (const { numbers, others } of columns.values()) count += numbers.length + others.length
  return count
}

const formatTime = (ms: number) => new Date(ms).toISOString()

/** `String` drops the sign of zero. */
const formatNumber = (number: number | null) => (Object.is(number, -0) ? '-0' : number)

interface Last {
  row: number
  number: number | null
  /** JSON text */
  other?: string
}

/** @returns the last sample of a column; for a section that is not a series, the last row */
function findLast({ times, columns }: UnpackedRows, section: number): Last {
  const column = columns.get(section)
  if (!column) return { row: times.length - 1, number: null }
  const numberRow = column.numberRows.at(-1) ?? -1
  const otherRow = column.otherRows.at(-1) ?? -1
  return numberRow > otherRow
    ? { row: numberRow, number: column.numbers.at(-1)! }
    : { row: otherRow, number: null, other: column.others.at(-1)! }
}
