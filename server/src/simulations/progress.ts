/** Counters of a simulation, kept by the node that runs it. */
export interface Progress {
  connected: number
  /** Messages. */
  sent: number
  acknowledged: number
  errors: number
  lastError: string | null
}
