import { countTextSteps } from '../../lib/json-logic/budget.ts'

const INDEX_WEIGHT = 1 + countTextSteps(1)

/**
 * How much work it is to check and store a value under one more asset, in steps of the message's budget: a large value
 * that many assets read must not become a multiple of what the device sent.
 */
export function measureWeight(value: unknown): number {
  if (typeof value === 'string') return 1 + countTextSteps(value.length)
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  if (Array.isArray(value)) {
    // An index weighs as much as a short key. Lists of keys and values would cost more than storing the list.
    for (const child of value) weight += INDEX_WEIGHT + measureWeight(child)
    return weight
  }
  for (const [key, child] of Object.entries(value)) weight += measureWeight(key) + measureWeight(child)
  return weight
}
