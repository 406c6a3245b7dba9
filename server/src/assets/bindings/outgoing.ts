/**
 * Computes the values that leave an asset through a binding's `inverseTransform`, one for each remote endpoint.
 * [docs/assets#transforms]
 */
import { LogicError, readLogic } from '../../lib/json-logic.ts'
import type { Binding, Remote } from './store.ts'
import { applyTransform } from './transform.ts'

export interface Outgoing {
  remote: Remote
  value: unknown
}

/**
 * Without `inverseTransform`, each remote gets the value itself. With one, a single remote gets its result. Of several
 * remotes, each gets the field of its name from a result object, or the item at its index from a result list; a remote
 * without such a part gets nothing.
 * @throws LogicError
 */
export function outgoingValues(binding: Binding, value: unknown): Outgoing[] {
  const { remotes, inverseTransform } = binding
  if (inverseTransform === null) return remotes.map((remote) => ({ remote, value }))
  const values = Object.fromEntries(remotes.map(({ remoteName }) => [remoteName, value]))
  const result = applyTransform(readLogic(inverseTransform, 'inverseTransform'), { ...values, value })
  const [single, ...others] = remotes
  if (single && others.length === 0) return [{ remote: single, value: result }]
  if (typeof result !== 'object' || result === null)
    throw new LogicError(`results in one value, but ${binding.name} has ${remotes.length} remote endpoints`)
  return remotes
    .map((remote, place) => ({ remote, value: readPart(result, remote.remoteName, place) }))
    .filter((outgoing) => outgoing.value !== undefined)
}

const readPart = (result: object, name: string, place: number): unknown =>
  Array.isArray(result) ? result[place] : new Map(Object.entries(result)).get(name)
