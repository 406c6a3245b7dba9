import type { World } from './world.ts'

/** What one tenant does to the server. A new one is a file in `attacks/` and a line in `attacks.ts`. */
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
  /** Of the other tenant's PUBACK: of a hundred, all but one come within it. */
  p99Ms: number
  /** By which the server's resident memory may grow. */
  grownMb: number
}

export const usualBounds: Bounds = { heldMs: 100, p99Ms: 100, grownMb: 400 }
