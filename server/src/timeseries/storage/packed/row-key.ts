/** The key of a row; rows are packed in its order. */
export interface RowKey {
  tenantNumber: number
  streamNumber: number
  /** Milliseconds since 1970. */
  timeMs: number
  messageId: bigint
}

export interface BatchEnd {
  key: RowKey
  /** Whether the batch includes the row with this key; otherwise it ends before that row. */
  isIncluded: boolean
}

/** A span of rows in one partition. */
export interface RowSpan {
  partition: string
  from: Date
  /** Excluded. */
  to: Date
  /** The end of an earlier batch: only rows after it are included, in the order of their keys. */
  after?: BatchEnd | undefined
}

/** Limits of one transaction. */
export interface PackLimits {
  rows: number
  /**
   * Values, including gaps between the first and the last slot of a row, and the values of pieces that are packed
   * again.
   */
  cells: number
  /** Number of pairs of stream and day. */
  streamDays: number
  /** Maximum number of rows, and of values, in one piece. */
  pieceRows: number
  pieceCells: number
  /** For tests; by default those of `piece-rollups.ts`. */
  rollups?: RollupLimits
}

/** Which series of a piece have rollups. */
export interface RollupLimits {
  /** Minimum number of values in the piece. */
  values: number
  /** Minimum average number of values in a bucket. */
  valuesABucket: number
}
