import type { Owner, SeriesType } from '../timeseries/storage/series-key.ts'

/** What is stored of one message, at one time, under one component of a provider client or an asset. */
export interface Samples {
  tenantId: string
  owner: Owner
  /** Empty for the root component. */
  componentId: string
  type: SeriesType
  timeMs: number
  messageId: string
  names: string[]
  /** One a name. A null stands for "nothing measured": there is no value to store. */
  values: unknown[]
}
