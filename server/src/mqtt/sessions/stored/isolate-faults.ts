import { isFaultOfData } from '../../../lib/retry.ts'

/**
 * Runs a batch. Where PostgreSQL refuses the data of an item, the halves run separately, one after the other, so that
 * only this item fails.
 * @returns for each item its result or its error
 */
export async function isolateFaults<T, R>(
  items: T[],
  run: (items: T[]) => Promise<R[]>,
): Promise<(R | Error)[]> {
  try {
    return await run(items)
  } catch (error) {
    if (items.length === 1 || !isFaultOfData(error)) return items.map(() => error as Error)
    const half = Math.ceil(items.length / 2)
    const first = await isolateFaults(items.slice(0, half), run)
    return [...first, ...(await isolateFaults(items.slice(half), run))]
  }
}
