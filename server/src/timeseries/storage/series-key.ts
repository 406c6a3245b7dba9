/** A series is one signal of one owner: a provider client, or an asset. */
export type OwnerType = 'client' | 'asset'
export type SeriesType = 'telemetry' | 'propertyReported'

export interface Owner {
  tenantNumber: number
  ownerType: OwnerType
  ownerId: string
}

/** A stream is what one owner sends of one type. Its number and the slot of a series in it identify a sample's series. */
export interface StreamKey extends Owner {
  type: SeriesType
}

export interface SeriesKey extends StreamKey {
  /** Empty for the root component. */
  componentId: string
  name: string
}
