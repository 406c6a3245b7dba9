/** Records on a binding why it could not apply a value, and clears the error once it applies one. */
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import { clearBindingErrors, takeDueFailures, updateBindingErrors } from './projection/failures.ts'
import { listFailures, type Projected, listSucceeded } from './projection/projected.ts'

/** Runs in the transaction that stores the values of the batch. */
export const recordFailures = (
  ctx: Pick<Context, 'nodes' | 'plans'>,
  tx: Kysely<Tables>,
  projected: Projected[],
): Promise<void> => updateBindingErrors(ctx, tx, takeDueFailures(ctx.plans.failures, listFailures(projected)))

/** Runs after the commit. A failure is made up for with the next value, so that no message waits for it. */
export async function clearRecoveredBindings(
  { db, plans, log }: Pick<Context, 'db' | 'plans' | 'log'>,
  projected: Projected[],
): Promise<void> {
  if (plans.failures.failing.size === 0) return
  try {
    const outcome = { succeeded: listSucceeded(projected), failed: listFailures(projected) }
    await clearBindingErrors(db, plans.failures, outcome)
  } catch (error) {
    log.warn({ err: error }, 'the errors of bindings cannot be cleared')
  }
}
