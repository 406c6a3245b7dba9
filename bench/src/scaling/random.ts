import type { Delay } from './figures.ts'

/** The quantile of the normal distribution for 99%. */
const NORMAL_P99 = 2.326

/** @returns a delay of a lognormal distribution with this median and 99th percentile */
export function draw({ p50Ms, p99Ms }: Delay, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return p50Ms * Math.exp((normal * Math.log(p99Ms / p50Ms)) / NORMAL_P99)
}

/** Mulberry32: the same numbers in each run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
