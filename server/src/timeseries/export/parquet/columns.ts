/** The columns of a Parquet file. Signal names are values, so that devices cannot add columns. [docs/telemetry#parquet] */
import type { ColumnSource, SchemaElement } from 'hyparquet-writer'

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const
const timestamp = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const
const required = { repetition_type: 'REQUIRED' } as const
const optional = { repetition_type: 'OPTIONAL' } as const

const columns: SchemaElement[] = [
  { name: 'assetid', ...text, ...required },
  { name: 'componentid', ...text, ...optional },
  { name: 'timeseries_type', ...text, ...required },
  { name: 'timeseries_name', ...text, ...required },
  { name: 'time', ...timestamp, ...required },
  { name: 'value', type: 'DOUBLE', ...optional },
  { name: 'value_json', ...text, ...optional },
]

export const COLUMN_COUNT = columns.length

/** The first element represents the whole row. */
export const schema: SchemaElement[] = [{ name: 'samples', num_children: columns.length }, ...columns]

/** Rows by column. */
export interface Rows {
  assetIds: string[]
  componentIds: (string | null)[]
  types: string[]
  names: string[]
  /** Milliseconds since 1970. */
  times: bigint[]
  numbers: (number | null)[]
  texts: (string | null)[]
}

export const createRows = (): Rows => ({
  assetIds: [],
  componentIds: [],
  types: [],
  names: [],
  times: [],
  numbers: [],
  texts: [],
})

/** Column statistics exist only where readers use them to skip groups of rows; others would enlarge the file. */
export const listColumns = (rows: Rows): ColumnSource[] =>
  [
    { name: 'assetid', data: rows.assetIds },
    { name: 'componentid', data: rows.componentIds, statistics: false },
    { name: 'timeseries_type', data: rows.types, statistics: false },
    { name: 'timeseries_name', data: rows.names },
    { name: 'time', data: rows.times, encoding: 'DELTA_BINARY_PACKED' as const },
    { name: 'value', data: rows.numbers },
    { name: 'value_json', data: rows.texts, statistics: false },
  ].map((column) => ({ ...column, offsetIndex: false }))
