/** Retries while PostgreSQL refuses to start: the backends of a killed postmaster end only after a moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedDatabaseError } from './error.ts'

const temporaryFailure =
  /pre-existing shared memory block|lock file ".*" already exists|is another postmaster/
const passesWithinMs = 30_000

/**
 * @param attempt returns the reason of its failure, or undefined
 * @throws EmbeddedDatabaseError if the failure is permanent
 */
export async function retryWhilePassing(attempt: () => Promise<string | undefined>): Promise<void> {
  for (const until = Date.now() + passesWithinMs; ; await sleep(100)) {
    const failure = await attempt()
    if (failure === undefined) return
    if (!temporaryFailure.test(failure) || Date.now() > until) throw new EmbeddedDatabaseError(failure)
  }
}
