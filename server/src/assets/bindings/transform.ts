/** Runs a binding's transforms on the values of its remote endpoints. [docs/assets#transforms] */
import { isUnstorableText, MAX_JSON_DEPTH } from '../../lib/json-limits.ts'
import { type Logic, LogicError } from '../../lib/json-logic.ts'
import { type Budget, charge, chargeText, newBudget } from '../../lib/json-logic/budget.ts'

/** Limits of a result: its number of values, and the characters of its texts and keys. */
export const MAX_VALUES = 10_000
export const MAX_CHARACTERS = 1024 * 1024

/**
 * @param values the remote values by the names of the remotes, also as `value` if there is only one
 * @param budget shared by all transforms of a message
 * @returns JSON that can be stored and sent
 * @throws LogicError if the result is no value, is no JSON or is too large
 */
export function applyTransform(
  logic: Logic,
  values: Record<string, unknown>,
  budget: Budget = newBudget(),
): unknown {
  const result = logic.run(values, budget)
  checkResult({ values: 0, characters: 0, budget }, result, 0)
  return result
}

interface Seen {
  values: number
  characters: number
  budget: Budget
}

/** Counts while it descends: a part that occurs several times in a result is larger as JSON than in memory. */
function checkResult(seen: Seen, value: unknown, depth: number): void {
  charge(seen.budget, 1)
  if (++seen.values > MAX_VALUES) throw new LogicError(`results in more than ${MAX_VALUES} values`)
  if (depth > MAX_JSON_DEPTH) throw new LogicError(`results in more than ${MAX_JSON_DEPTH} levels of lists`)
  if (typeof value === 'string') return checkText(seen, value)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new LogicError('does not result in a number')
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return
  if (typeof value !== 'object') throw new LogicError('does not result in a value')
  for (const [key, child] of Object.entries(value)) {
    checkText(seen, key)
    checkResult(seen, child, depth + 1)
  }
}

function checkText(seen: Seen, text: string): void {
  seen.characters += text.length
  if (seen.characters > MAX_CHARACTERS)
    throw new LogicError(`results in more than ${MAX_CHARACTERS} characters`)
  chargeText(seen.budget, text.length)
  if (isUnstorableText(text)) throw new LogicError('results in text with NUL or broken Unicode')
}
