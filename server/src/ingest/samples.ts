import type { Owner, SeriesType } from '../timeseries/storage/series-key.ts'

/** The samples of one message at one time, under one component of a provider client or an asset. */
export interface Samples {
  tenantId: string
  owner: Owner
  /** Empty for the root component. */
  componentId: string
  type: SeriesType
  timeMs: number
  messageId: bigint
  names: string[]
  /** One value for each name. Null stands for "nothing measured" and is not stored. */
  values: unknown[]
  /** When the message arrived, in milliseconds since 1970; absent where it did not wait. */
  receivedAtMs?: number
  /** The W3C trace that the device named; absent otherwise. */
  traceparent?: string
}
