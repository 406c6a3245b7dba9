/**
 * What an expression may cost. Expressions and the values that they run on come from different people, so that no check
 * of either alone can bound the work: each operator charges what it does before it does it.
 */

/** Says what is wrong with the expression on these values. */
export class LogicError extends Error {
  override name = 'LogicError'
}

/** Says nothing about the values: with more of the budget left the expression may come to one. */
export class BudgetError extends LogicError {
  override name = 'BudgetError'
}

/** Shared by all expressions that one message runs. */
export interface Budget {
  stepsLeft: number
  /** With which it began. */
  steps: number
}

/** A step takes 20 to 150 ns, so that the whole budget holds the event loop for some 10 ms. */
export const MAX_STEPS = 100_000
const CHARACTERS_A_STEP = 16

export const newBudget = (steps = MAX_STEPS): Budget => ({ stepsLeft: steps, steps })

/** @throws BudgetError */
export function charge(budget: Budget, steps: number): void {
  budget.stepsLeft -= steps
  if (budget.stepsLeft >= 0) return
  // What comes after it in the same message ends as well, however small it is.
  budget.stepsLeft = 0
  throw new BudgetError(
    `takes more than the ${budget.steps} steps that one message may take: calculate less, or with shorter lists and texts`,
  )
}

export const stepsOfText = (characters: number): number => Math.ceil(characters / CHARACTERS_A_STEP)

/** @throws BudgetError */
export const chargeText = (budget: Budget, characters: number): void =>
  charge(budget, stepsOfText(characters))
