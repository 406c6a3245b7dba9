/** Amounts of stored telemetry by day and tier. [docs/telemetry#storage-used] */

/** In the order in which a sample moves through them. Rollups have no samples of their own, or none any more, so they add bytes only. */
export const tiers = ['rows', 'packed', 'rollups'] as const
export type Tier = (typeof tiers)[number]

export interface Amount {
  values: number
  bytes: number
}

/** The samples of one day in one tier. */
export interface DayUsage extends Amount {
  tier: Tier
  /** Days since 1970, UTC. */
  day: number
  /** Whether only a part of the rows was counted. */
  isEstimate: boolean
  /** Whether these are rollups whose samples are deleted. */
  isKept?: boolean
}

export const sumAmounts = (amounts: Amount[]): Amount => ({
  values: Math.round(amounts.reduce((sum, { values }) => sum + values, 0)),
  bytes: Math.round(amounts.reduce((sum, { bytes }) => sum + bytes, 0)),
})
