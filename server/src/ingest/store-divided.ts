import type { StoreContext } from './batch.ts'

export interface Division<T> {
  /** @throws when the messages are not stored; then none of them is */
  store(items: T[]): Promise<void>
  /** Whether one of the messages caused the error, so that the others can be stored. */
  isFaultOfOne(error: unknown): boolean
  keepRefused(item: T, refusal: Error): Promise<void>
}

/**
 * Stores messages together. Where one is at fault they are divided, so that it does not hold up the others.
 * @throws when some are not stored
 */
export async function storeDivided<T>(
  ctx: Pick<StoreContext, 'metrics'>,
  division: Division<T>,
  items: T[],
): Promise<void> {
  const stopTimer = ctx.metrics.ingestCommitSeconds.startTimer()
  try {
    await division.store(items)
  } catch (error) {
    if (!division.isFaultOfOne(error)) throw error
    if (items.length === 1) return await division.keepRefused(items[0]!, error as Error)
    const half = Math.ceil(items.length / 2)
    await storeDivided(ctx, division, items.slice(0, half))
    await storeDivided(ctx, division, items.slice(half))
  } finally {
    stopTimer()
  }
}
