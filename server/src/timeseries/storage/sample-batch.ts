/** Samples to insert, column by column: entry i of every array belongs to sample i. */
export interface SampleBatch {
  tenantNumber: number[]
  seriesNumber: number[]
  /** Milliseconds since 1970. */
  time: number[]
  messageId: (bigint | string)[]
  /** Any JSON value except null: a finite number, a boolean, a string, an object or an array. */
  value: unknown[]
}

export const emptySampleBatch = (): SampleBatch => ({
  tenantNumber: [],
  seriesNumber: [],
  time: [],
  messageId: [],
  value: [],
})
