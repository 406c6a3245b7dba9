/**
 * Limits the cost of expressions. Expressions and their values come from different people, so that checking either alone
 * cannot limit the work: each operator charges its cost before it runs.
 */

/** The expression has no result for these values; the message says why. */
export class LogicError extends Error {
  override name = 'LogicError'
}

/** The budget was used up; with more of it the expression may have a result. */
export class BudgetError extends LogicError {
  override name = 'BudgetError'
}

/** Shared by all expressions that one message runs. */
export interface Budget {
  stepsLeft: number
  /** The steps at the beginning. */
  steps: number
}

/** A step takes 20 to 150 ns, so that the whole budget blocks the event loop for about 10 ms. */
export const MAX_STEPS = 100_000
const CHARACTERS_A_STEP = 16

export const newBudget = (steps = MAX_STEPS): Budget => ({ stepsLeft: steps, steps })

/** @throws BudgetError */
export function charge(budget: Budget, steps: number): void {
  budget.stepsLeft -= steps
  if (budget.stepsLeft >= 0) return
  // Later expressions of the same message fail too.
  budget.stepsLeft = 0
  throw new BudgetError(
    `takes more than the ${budget.steps} steps that one message may take: calculate less, or with shorter lists and texts`,
  )
}

export const countTextSteps = (characters: number): number => Math.ceil(characters / CHARACTERS_A_STEP)

/** @throws BudgetError */
export const chargeText = (budget: Budget, characters: number): void =>
  charge(budget, countTextSteps(characters))
