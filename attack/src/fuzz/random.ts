/** Random numbers that a seed repeats. */
export interface Random {
  /** An integer from 0 to `count` - 1. */
  below(count: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(length: number): Buffer
}

/** xorshift, of 32 bits. */
export function createRandom(seed: number): Random {
  // Neighbouring seeds would begin alike, and 0 would stay 0.
  let state = Math.imul(seed + 1, 0x9e3779b1) || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
  for (let round = 0; round < 8; round++) next()
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
