/** A row of `sample_rows`: the values of one message under one client or asset. */
export interface SampleRow {
  tenantNumber: number
  streamNumber: number
  /** Milliseconds since 1970. */
  timeMs: number
  /** 64 bits, signed. */
  messageId: bigint
  /** The slots of the values, each once, in any order. */
  slots: number[]
  /** Any JSON value except null for each slot: a finite number, a boolean, a string, an object or an array. */
  values: unknown[]
}
