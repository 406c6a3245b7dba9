/** Signals in the address of a page, written as endpoint ids such as `pump-7/-/telemetry/temperature`. */
import type { TelemetryEvent } from '@gangway/client'
import type { UrlField } from '../../url-state.ts'

export interface Signal {
  /** Endpoint id. */
  id: string
  /** Id of an asset or a provider client. */
  ownerId: string
  componentId: string | null
  kind: 'telemetry' | 'property'
  name: string
}

export function parseSignal(id: string): Signal | undefined {
  const [ownerId, component, kind, ...rest] = id.split('/')
  const name = rest.join('/')
  if (!ownerId || !component || name === '' || (kind !== 'telemetry' && kind !== 'property')) return undefined
  return { id, ownerId, componentId: component === '-' ? null : component, kind, name }
}

export const formatSignal = ({
  assetId,
  componentId,
  timeseriesType,
  timeseriesName,
}: TelemetryEvent): string =>
  `${assetId}/${componentId ?? '-'}/${timeseriesType === 'propertyReported' ? 'property' : 'telemetry'}/${timeseriesName}`

/** Greatest number of signals in a chart, since more lines are unreadable. */
export const MOST_SIGNALS = 20

/** Writes endpoint ids as the address of Explore has them, separated by commas. */
export const writeSignalIds = (ids: string[]): string =>
  ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')

/** Address field of several signals. */
export const signalList = (): UrlField<Signal[]> => ({
  parse: (raw = '') => {
    const signals = raw
      .split(',')
      .map((part) => parseSignal(part.replaceAll('%2C', ',').replaceAll('%25', '%')))
    const known = new Map(
      signals.filter((signal) => signal !== undefined).map((signal) => [signal.id, signal]),
    )
    return [...known.values()].slice(0, MOST_SIGNALS)
  },
  format: (signals) => (signals.length === 0 ? undefined : writeSignalIds(signals.map(({ id }) => id))),
})

/** Groups signals by owner, since one request reads all signals of an owner. */
export function groupByOwner(signals: Signal[]): Map<string, Signal[]> {
  const groups = new Map<string, Signal[]>()
  for (const signal of signals) groups.set(signal.ownerId, [...(groups.get(signal.ownerId) ?? []), signal])
  return groups
}

/** Label of a signal in a chart, which includes the owner if the signals have several owners. */
export function labelSignal({ ownerId, componentId, name }: Signal, signals: Signal[]): string {
  const local = componentId === null ? name : `${componentId} · ${name}`
  return signals.every((other) => other.ownerId === ownerId) ? local : `${ownerId} · ${local}`
}
