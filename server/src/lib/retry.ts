/** A write that has to succeed, for as long as somebody can wait for it. */
import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/**
 * Tries until it succeeds, or fails for what it holds rather than for the state of the database.
 * @param write gets the number of tries before: a try whose answer was lost may have been stored
 * @param patienceMs by a clock that nobody sets
 * @throws the last error, once its time is over or the data is at fault
 */
export async function retry(
  patienceMs: number,
  write: (triesBefore: number) => Promise<void>,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  for (
    let tries = 0, pauseMs = FIRST_PAUSE_MS;
    ;
    tries++, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  ) {
    try {
      return await write(tries)
    } catch (error) {
      if (isFaultOfData(error) || performance.now() + pauseMs > deadlineMs) throw error
      await sleep(pauseMs)
    }
  }
}

/** SQLSTATE classes 22 (data exception), 23 (integrity), 54 (limit exceeded): another try would end the same. */
export const isFaultOfData = (error: unknown): boolean =>
  /^(22|23|54)/.test((error as { code?: string }).code ?? '')
