import type { World } from './world.ts'

/** An attack of one tenant on the server. To add one, write a file in `attacks/` and a line in `attacks.ts`. */
export interface Attack {
  name: string
  /** One line for people. */
  about: string
  /** Ahead of what is measured. */
  prepare?(world: World): Promise<void>
  /** @returns what the server answered; @throws where that is not what it should */
  run(world: World): Promise<string>
  /** Where an attack may cost more than the others. */
  bounds?: Partial<Bounds>
}

export interface Bounds {
  /** The longest that the event loop may be held. */
  heldMs: number
  /** The 99th percentile of the time until the other tenant's PUBACK arrives. */
  p99Ms: number
  /** By which the server's resident memory may grow. */
  grownMb: number
}

export const usualBounds: Bounds = { heldMs: 100, p99Ms: 100, grownMb: 400 }
