/**
 * What an expression may cost. Expressions and the values that they run on come from different people, so that no check
 * of either alone can bound the work: each operator charges what it does before it does it.
 */

/** Says what is wrong with the expression on these values. */
export class LogicError extends Error {
  override name = 'LogicError'
}

/** Shared by all expressions that one message runs. */
export interface Budget {
  stepsLeft: number
}

/** A step takes 20 to 150 ns, so that the whole budget holds the event loop for some 10 ms. */
export const MAX_STEPS = 100_000
const CHARACTERS_A_STEP = 16

export const newBudget = (): Budget => ({ stepsLeft: MAX_STEPS })

/** @throws LogicError */
export function charge(budget: Budget, steps: number): void {
  budget.stepsLeft -= steps
  if (budget.stepsLeft >= 0) return
  // What comes after it in the same message ends as well, however small it is.
  budget.stepsLeft = 0
  throw new LogicError(
    `takes more than the ${MAX_STEPS} steps that one message may take: calculate less, or with shorter lists and texts`,
  )
}

export const stepsOfText = (characters: number): number => Math.ceil(characters / CHARACTERS_A_STEP)

/** @throws LogicError */
export const chargeText = (budget: Budget, characters: number): void =>
  charge(budget, stepsOfText(characters))
