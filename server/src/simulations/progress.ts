/** How a simulation is doing, counted by the process that runs it. */
export interface Progress {
  connected: number
  /** Messages. */
  sent: number
  acknowledged: number
  errors: number
  lastError: string | null
}
