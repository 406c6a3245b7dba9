/** Backends of a killed postmaster need a moment to notice; until then PostgreSQL refuses to start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedDatabaseError } from './error.ts'

const passing = /pre-existing shared memory block|lock file ".*" already exists|is another postmaster/
const passesWithinMs = 30_000

/**
 * @param attempt answers why it failed, or undefined
 * @throws EmbeddedDatabaseError when it fails for a reason that does not pass
 */
export async function untilItPasses(attempt: () => Promise<string | undefined>): Promise<void> {
  for (const until = Date.now() + passesWithinMs; ; await sleep(100)) {
    const failure = await attempt()
    if (failure === undefined) return
    if (!passing.test(failure) || Date.now() > until) throw new EmbeddedDatabaseError(failure)
  }
}
