/** Running a binding's transforms on what its remote endpoints say. [contract §5] */
import { isUnstorableText, MAX_JSON_DEPTH } from '../../lib/json-limits.ts'
import { type Logic, LogicError } from '../../lib/json-logic.ts'

/** Of a result: values, and characters of its text and keys. */
const MAX_VALUES = 10_000
const MAX_CHARACTERS = 1024 * 1024

/**
 * @param values the remote values by the remotes' names; `value` where there is only one
 * @returns JSON that can be stored and sent
 * @throws LogicError when it comes to no value, or to none that is JSON of a bearable size
 */
export function applyTransform(logic: Logic, values: Record<string, unknown>): unknown {
  const result = logic.run(values)
  checkResult({ values: 0, characters: 0 }, result, 0)
  return result
}

/** Counts before it goes on: parts that stand in a result more than once make it larger than what they take in memory. */
function checkResult(seen: { values: number; characters: number }, value: unknown, depth: number): void {
  if (++seen.values > MAX_VALUES) throw new LogicError(`comes to more than ${MAX_VALUES} values`)
  if (depth > MAX_JSON_DEPTH) throw new LogicError(`comes to more than ${MAX_JSON_DEPTH} levels of lists`)
  if (typeof value === 'string') return checkText(seen, value)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new LogicError('comes to no number')
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return
  if (typeof value !== 'object') throw new LogicError('comes to no value')
  for (const [key, child] of Object.entries(value)) {
    checkText(seen, key)
    checkResult(seen, child, depth + 1)
  }
}

function checkText(seen: { characters: number }, text: string): void {
  seen.characters += text.length
  if (seen.characters > MAX_CHARACTERS)
    throw new LogicError(`comes to more than ${MAX_CHARACTERS} characters`)
  if (isUnstorableText(text)) throw new LogicError('comes to text with NUL or broken Unicode')
}
