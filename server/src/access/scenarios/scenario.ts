/** Who may do what and who may not, each claim as `user:ann view asset:x`. */
export interface Claims {
  true?: string[]
  false?: string[]
}

export interface Scenario extends Claims {
  name: string
  tuples?: string[]
  privileges?: Record<string, string[]>
  /** What another tenant holds; its users and objects have names of their own. */
  elsewhere?: string[]
  then?: (Claims & { insert?: string[]; delete?: string[] })[]
}
