/** Maps the variables of a condition to slots in the last values of an asset. */
import type { AlarmSignal } from '../../database/tables.ts'

export interface Slot extends AlarmSignal {
  slot: number
}

/** Slots by variable name. */
export type Slots = ReadonlyMap<string, Slot>

/** Exactly one of the two fields is set. */
export interface Reader {
  slot?: number
  literal?: unknown
}

/** @returns undefined unless the node is a literal or a whole signal */
export function compileReader(node: unknown, slots: Slots): Reader | undefined {
  if (typeof node !== 'object' || node === null) return { literal: node }
  if (!('var' in node)) return undefined
  const operand: unknown = node.var
  const name = Array.isArray(operand) && operand.length === 1 ? (operand as unknown[])[0] : operand
  const found = typeof name === 'string' ? slots.get(name) : undefined
  if (!found || found.variable !== signalPath(found).join('.')) return undefined
  return { slot: found.slot }
}

const signalPath = ({ componentId, name }: AlarmSignal): string[] =>
  componentId === '' ? [name] : [componentId, name]

/** Arranges the values as the engine reads them: the signals of a component are in one object. */
export function valuesByName(slots: Slot[], values: unknown[]): Record<string, unknown> {
  const data = new Map<string, unknown>()
  const components = new Map<string, Map<string, unknown>>()
  for (const slot of slots) {
    const value = values[slot.slot]
    if (value === undefined) continue
    const [first, second] = signalPath(slot)
    if (second === undefined) data.set(first!, value)
    else components.set(first!, (components.get(first!) ?? new Map()).set(second, value))
  }
  for (const [name, signals] of components) data.set(name, Object.fromEntries(signals))
  return Object.fromEntries(data)
}
