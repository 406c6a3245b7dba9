/** Writes samples as a Parquet file, in groups of rows, so that only one group is in memory. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { takeTurns } from '../../../lib/take-turns.ts'
import type { SeriesType } from '../../storage/series-key.ts'
import { COLUMN_COUNT, createRows, listColumns, type Rows, schema } from './columns.ts'

/** The columns that all points of a signal share. */
export interface ParquetSeries {
  assetId: string
  componentId: string | null
  type: SeriesType
  name: string
}

/** Milliseconds since 1970, the number, and the JSON text if the value is not a number. */
export type ParquetPoint = [timeMs: number, number: number | null, text: string | null]

export interface ParquetFile {
  add(series: ParquetSeries, points: ParquetPoint[]): void
  /** Whether the rows since the last group should be written now. */
  isGroupFull(): boolean
  /** @returns the bytes of the rows since the last group. Do not add rows before it resolves. */
  writeGroup(): Promise<Buffer>
  /** @returns the bytes after the last group */
  finish(): Buffer
}

/**
 * The number of small groups is limited, because the footer of the file describes each group and is in memory until the
 * end, with about 3 kB for each.
 */
const GROUPS = 1000
/** Rows of a group: of the first `GROUPS`, of the next as many, and of the rest. */
const ROWS = [25_000, 50_000, 100_000]
/** Maximum length of strings, objects and arrays in a group, in UTF-16 code units. */
const TEXT_LENGTH = 2 * 1024 * 1024

export function createParquetFile(): ParquetFile {
  const writer = new ByteWriter()
  const file = new ParquetWriter({ writer, schema, createdBy: 'gangway' })
  const share = createShare()
  let rows = createRows()
  let textLength = 0
  return {
    add(series, points) {
      for (const point of points) textLength += addPoint(rows, series, point)
    },
    isGroupFull: () => rows.times.length >= chooseRows(file) || textLength >= TEXT_LENGTH,
    async writeGroup() {
      if (rows.times.length > 0) await writeRows(file, rows, share)
      rows = createRows()
      textLength = 0
      return takeBytes(writer)
    },
    finish() {
      void file.finish()
      return takeBytes(writer)
    },
  }
}

const chooseRows = ({ row_groups: groups }: ParquetWriter): number =>
  ROWS[Math.floor(groups.length / GROUPS)] ?? ROWS.at(-1)!

/** Writes one column after the other, so that other work runs in between. */
async function writeRows(file: ParquetWriter, rows: Rows, share: Share): Promise<void> {
  const turn = takeTurns()
  const rowGroupSize = rows.times.length
  for (const column of listColumns(rows)) {
    await turn()
    void file.write({ columnData: [column], rowGroupSize })
  }
  joinColumns(file, share)
  // The library keeps the columns of all groups there, for indexes that this file does not have.
  file.pendingIndexes.length = 0
}

/** Joins the groups of single columns that the library has written to one group of all columns. */
function joinColumns(file: ParquetWriter, share: Share): void {
  const parts = file.row_groups.splice(-COLUMN_COUNT)
  for (const part of parts) shareParts(part, share)
  const [first] = parts
  const sum = (part: (group: (typeof parts)[number]) => bigint) =>
    parts.reduce((all, one) => all + part(one), 0n)
  file.row_groups.push({
    columns: parts.flatMap(({ columns }) => columns),
    total_byte_size: sum((group) => group.total_byte_size),
    num_rows: first!.num_rows,
    total_compressed_size: sum((group) => group.total_compressed_size ?? 0n),
  })
  file.num_rows -= first!.num_rows * BigInt(COLUMN_COUNT - 1)
}

type Share = ReturnType<typeof createShare>
type RowGroup = ParquetWriter['row_groups'][number]

/** Returns the first of equal values, so that memory holds it once. */
function createShare() {
  const firsts = new Map<string, unknown>()
  return <T>(value: T): T => {
    const key = `${JSON.stringify(value)}`
    if (!firsts.has(key)) firsts.set(key, value)
    return firsts.get(key) as T
  }
}

/** Nearly all groups describe a column by the same paths and encodings. Separate copies would double the footer in memory. */
function shareParts({ columns }: RowGroup, share: Share): void {
  for (const { meta_data: meta } of columns)
    if (meta) {
      meta.path_in_schema = share(meta.path_in_schema)
      meta.encodings = share(meta.encodings)
      meta.encoding_stats = share(meta.encoding_stats)
    }
}

/** @returns the length of the point's text */
function addPoint(rows: Rows, series: ParquetSeries, [timeMs, number, text]: ParquetPoint): number {
  rows.assetIds.push(series.assetId)
  rows.componentIds.push(series.componentId)
  rows.types.push(series.type)
  rows.names.push(series.name)
  rows.times.push(BigInt(timeMs))
  rows.numbers.push(number)
  rows.texts.push(text)
  return text?.length ?? 0
}

/** Empties the writer, which continues counting its offset. */
function takeBytes(writer: ByteWriter): Buffer {
  const bytes = Buffer.from(writer.buffer, 0, writer.index)
  writer.buffer = new ArrayBuffer(1024)
  writer.view = new DataView(writer.buffer)
  writer.index = 0
  return bytes
}
