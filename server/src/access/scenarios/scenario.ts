/** Assertions that must be true or false, such as `user:ann view asset:x`. */
export interface Claims {
  true?: string[]
  false?: string[]
}

export interface Scenario extends Claims {
  name: string
  tuples?: string[]
  privileges?: Record<string, string[]>
  /** Tuples of another tenant, whose users and objects have other names. */
  elsewhere?: string[]
  then?: (Claims & { insert?: string[]; delete?: string[] })[]
}
