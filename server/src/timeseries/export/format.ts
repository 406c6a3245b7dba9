/** Chooses the format of a response. [docs/telemetry#export] */
import { ApiError } from '../../http/errors.ts'

export type Format = 'parquet' | 'csv' | 'json'

const FORMATS: Record<string, Format> = {
  'application/vnd.apache.parquet': 'parquet',
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
}

/** A type with the weight zero is not acceptable. */
const REFUSED = /;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i

/**
 * Chooses Parquet or CSV if the header names one of them, since browsers and libraries also accept any format. @throws
 * not_acceptable
 */
export function chooseFormat(accept = '*/*'): Format {
  const ranges = accept
    .split(',')
    .filter((range) => !REFUSED.test(range))
    .map((range) => range.split(';')[0]!.trim().toLowerCase())
  const formats = ranges.flatMap((range) => FORMATS[range] ?? [])
  for (const format of ['parquet', 'csv'] as const) if (formats.includes(format)) return format
  if (formats.length > 0 || accept.trim() === '') return 'json'
  throw new ApiError(
    'not_acceptable',
    `The header Accept names ${JSON.stringify(accept.slice(0, 100))}. This answer comes as application/json, text/csv or application/vnd.apache.parquet.`,
  )
}

export const formatHeaders = {
  json: { 'content-type': 'application/json; charset=utf-8' },
  csv: {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="timeseries.csv"',
  },
  parquet: {
    'content-type': 'application/vnd.apache.parquet',
    'content-disposition': 'attachment; filename="timeseries.parquet"',
  },
} satisfies Record<Format, Record<string, string>>
