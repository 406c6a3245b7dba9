import type { World } from './world.ts'

/** An attack of one tenant on the server. To add one, write a file in `attacks/` and a line in `attacks.ts`. */
export interface Attack {
  name: string
  /** One line for people. */
  about: string
  /** Runs before the measurement. */
  prepare?(world: World): Promise<void>
  /** @returns a summary of the server's answers @throws if an answer is wrong */
  run(world: World): Promise<string>
  /** Bounds that differ from the defaults. */
  bounds?: Partial<Bounds>
}

export interface Bounds {
  /** Longest time for which the event loop may be held, in processor time. */
  heldMs: number
  /** 99th percentile of the time until the other tenant's PUBACK arrives. */
  p99Ms: number
  /** Limit of the growth of the server's resident memory. */
  grownMb: number
}

const usualBounds: Bounds = { heldMs: 50, p99Ms: 100, grownMb: 400 }

/**
 * Relaxes the bounds by what was measured without an attack, since the machine may be busy.
 * @param factor how much longer than without an attack something may take
 */
export const boundsBeside = (
  quiet: { heldMs: number; p99Ms: number },
  bounds: Bounds = usualBounds,
  factor = 2,
): Bounds => ({
  ...bounds,
  heldMs: Math.max(bounds.heldMs, factor * quiet.heldMs),
  p99Ms: Math.max(bounds.p99Ms, factor * quiet.p99Ms),
})
