/** A series is one signal of one owner: a provider client, or an asset. Its number identifies it in every sample. */
export type OwnerType = 'client' | 'asset'
export type SeriesType = 'telemetry' | 'propertyReported'

export interface Owner {
  tenantNumber: number
  ownerType: OwnerType
  ownerId: string
}

export interface SeriesKey extends Owner {
  /** Empty for the root component. */
  componentId: string
  name: string
  type: SeriesType
}
