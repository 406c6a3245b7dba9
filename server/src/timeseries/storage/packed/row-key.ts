import { type RawBuilder, sql } from 'kysely'
import { startOfDay } from '../partition-names.ts'

/** The key of a row; rows are packed in its order. */
export interface RowKey {
  tenantNumber: number
  streamNumber: number
  /** Milliseconds since 1970. */
  timeMs: number
  /** As text, which the payload of a job may have. */
  messageId: string
}

/** The rows of one day in one partition. */
export interface RowSpan {
  partition: string
  /** Days since 1970, UTC. */
  day: number
  /** The last row of an earlier batch: only rows after it are included, in the order of their keys. */
  after?: RowKey | undefined
}

/** The order in which rows are packed. */
export const rowKey = sql`tenant_number, stream_number, time, message_id`

/** SQL condition for the rows of a span. */
export const isInSpan = ({ day, after }: RowSpan): RawBuilder<unknown> =>
  sql`time >= ${startOfDay(day)}::timestamptz and time < ${startOfDay(day + 1)}::timestamptz
    ${after ? sql`and (${rowKey}) > (${formatKey(after)})` : sql``}`

/** SQL condition for the rows up to a row, which is included. */
export const isUpTo = (key: RowKey): RawBuilder<unknown> => sql`(${rowKey}) <= (${formatKey(key)})`

const formatKey = ({ tenantNumber, streamNumber, timeMs, messageId }: RowKey): RawBuilder<unknown> =>
  sql`${tenantNumber}::int, ${streamNumber}::int, ${new Date(timeMs).toISOString()}::timestamptz,
    ${messageId}::bigint`

/** Number of bytes of other values that count as one number. */
export const BYTES_A_CELL = 8

/** Limits of one transaction. */
export interface PackLimits {
  rows: number
  /**
   * Values, including gaps between the first and the last slot of a row. The pieces that are packed again have as many
   * at most, unless it is one piece.
   */
  cells: number
  streams: number
  /** Maximum number of rows, and of values, in one piece. */
  pieceRows: number
  pieceCells: number
  merged: MergeLimits
  /** For tests; by default those of `piece-rollups.ts`. */
  rollups?: RollupLimits
}

/** Limits of a piece with rows of several days. */
export interface MergeLimits {
  rows: number
  /** Values, where a text counts as several. */
  cells: number
  /** Days from the first row to the last one, including both. */
  days: number
}

/** Which series of a piece have rollups. */
export interface RollupLimits {
  /** Minimum number of values in the piece. */
  values: number
  /** Minimum average number of values in a bucket. */
  valuesABucket: number
}
