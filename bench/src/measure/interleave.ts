import type { Bench } from '../bench-case.ts'

/**
 * Runs the variants in turn, A B A B …, so that changes of the machine's speed affect all of them.
 * @returns the result of each round, by variant
 */
export async function interleave<K extends string>(
  bench: Bench,
  rounds: number,
  variants: Record<K, () => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(variants) as K[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) measured[name].push(await variants[name]())
    const figures = names.map((name) => `${name} ${Number(measured[name].at(-1)!.toPrecision(4))}`)
    bench.progress(`round ${round} of ${rounds}: ${figures.join(', ')}`)
  }
  return measured
}
