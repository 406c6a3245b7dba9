/** Signals of widgets, bound to assets. */
import type { Signal } from '../../explore/signal.ts'
import type { Widget } from './board.ts'
import { readColor } from './scale.ts'

/** As in the options of a widget. */
export interface SignalReference {
  assetId?: string
  variable?: string
  componentId?: string | null
  name: string
  type?: 'telemetry' | 'propertyReported' | 'propertyDesired'
  label?: string
  color?: string
}

export interface BoundSignal extends Signal {
  label: string
  /** In place of the color of the palette. */
  color?: string | undefined
}

/** Ids of assets by the name of a variable. */
export type Bindings = Readonly<Record<string, string[]>>

const none: string[] = []

/** Assets that a reference names, by itself or by its variable. */
export const listAssets = (
  { assetId, variable }: { assetId?: string; variable?: string },
  bindings: Bindings,
): string[] =>
  variable === undefined
    ? assetId === undefined
      ? none
      : [assetId]
    : Object.hasOwn(bindings, variable)
      ? bindings[variable]!
      : none

export function bindSignals(references: SignalReference[], bindings: Bindings): BoundSignal[] {
  const bound = references.flatMap((reference) =>
    listAssets(reference, bindings).map((ownerId) => bindSignal(reference, ownerId)),
  )
  const unique = [...new Map(bound.map((signal) => [signal.id, signal])).values()]
  const isOfOne = unique.every(({ ownerId }) => ownerId === unique[0]!.ownerId)
  return unique.map(({ chosen, ...signal }) => ({ ...signal, label: chosen ?? writeLabel(signal, isOfOne) }))
}

function bindSignal(reference: SignalReference, ownerId: string) {
  const { componentId = null, name, type, label, variable } = reference
  const kind = type === undefined || type === 'telemetry' ? ('telemetry' as const) : ('property' as const)
  // Desired properties have no values in the history and the real-time connection, and are not the reported ones.
  const id = `${ownerId}/${componentId ?? '-'}/${type === 'propertyDesired' ? 'desired' : kind}/${name}`
  // The label of a variable is followed by the asset, since it may stand for several.
  const chosen = label === undefined || variable === undefined ? label : `${ownerId} · ${label}`
  const color = readColor(reference.color)
  return { id, ownerId, componentId, kind, name, chosen, ...(color && { color }) }
}

function writeLabel({ ownerId, componentId, name }: Signal, isOfOne: boolean) {
  const local = componentId === null ? name : `${componentId} · ${name}`
  return isOfOne ? local : `${ownerId} · ${local}`
}

/** Signals in the options of a widget, without those of wrong form. */
export const readReferences = ({ options }: Pick<Widget, 'options'>): SignalReference[] =>
  Array.isArray(options.signals) ? options.signals.filter(isReference) : []

/** Entries of the signals that cannot be read. They stay when others are changed. */
export const readForeignReferences = ({ options }: Pick<Widget, 'options'>): unknown[] =>
  Array.isArray(options.signals) ? options.signals.filter((one) => !isReference(one)) : []

const textOrAbsent = ['string', 'undefined']

function isReference(value: unknown): value is SignalReference {
  if (typeof value !== 'object' || value === null) return false
  const { name, componentId, ...rest } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    (componentId === null || textOrAbsent.includes(typeof componentId)) &&
    ['assetId', 'variable', 'type', 'label', 'color'].every((field) =>
      textOrAbsent.includes(typeof rest[field]),
    )
  )
}
