const ticks = new Map<number, Set<() => void>>()

/**
 * Runs functions at multiples of an interval, those of the same interval together: each frame brings the charts of the
 * page to the screen again, whatever has changed.
 *
 * @returns a function that ends the runs
 */
export function every(intervalMs: number, run: () => void): () => void {
  const known = ticks.get(intervalMs)
  const runs = known ?? new Set()
  if (known === undefined) {
    ticks.set(intervalMs, runs)
    schedule(intervalMs, runs)
  }
  // The same function may be given twice.
  const own = () => run()
  runs.add(own)
  return () => runs.delete(own)
}

function schedule(intervalMs: number, runs: Set<() => void>) {
  const tick = () => {
    for (const run of runs) run()
    if (runs.size > 0) schedule(intervalMs, runs)
    else ticks.delete(intervalMs)
  }
  setTimeout(tick, untilMultiple(intervalMs))
}

/** Browsers cut off fractions of a millisecond, with which a timer would end before the multiple. */
export const untilMultiple = (intervalMs: number): number =>
  Math.ceil(intervalMs - (performance.now() % intervalMs))
