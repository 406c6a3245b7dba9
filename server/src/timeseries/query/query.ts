/** The historical query: samples or aggregates of some signals of one owner, or of two with the same id. [docs/telemetry#queries] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { bucketPages } from './aggregate.ts'
import type { Aggregation } from './aggregation.ts'
import type { ViewedOwner } from './owner.ts'
import type { Output, Page } from './page.ts'
import { samplePages } from './raw.ts'
import { createReadAhead, type ReadAhead } from './read-ahead.ts'
import type { Selection } from './selection.ts'
import { createSharedPass, type SharedPass } from './shared-pass.ts'
import type { Owner, SeriesKey } from '../storage/series-key.ts'
import type { Series } from '../storage/series.ts'
import type { Where } from '../where-clause/tree.ts'

export interface TimeseriesQuery {
  names: string[]
  /** Milliseconds since 1970. The span includes `from` and excludes `to`, so that adjacent spans share no sample. */
  from: number
  to: number
  aggregation?: Aggregation
  where?: Where
  /** Samples before this time may be deleted, with rollups in their place; undefined if the tenant has no such rollups. */
  rolledUpBeforeMs?: number | undefined
}

/** A request with any number of aggregations, as the caller sent it. */
export interface RequestedQuery extends Omit<TimeseriesQuery, 'aggregation'> {
  /** Empty for raw samples. */
  aggregations: Aggregation[]
  /** The interval as ISO 8601; empty if there is none. */
  intervalText: string
}

/** An item of the response. */
export interface ResultItem {
  signal: Signal
  query: TimeseriesQuery
  /** Shared by all aggregations of the signal. */
  pass?: SharedPass | undefined
  /** Shared by all signals. */
  ahead?: ReadAhead | undefined
}

export interface Signal {
  key: SeriesKey
  /** Absent if nobody has ever sent such a signal. */
  series: Series | undefined
  modelId: string | null
}

/**
 * Lists for each id and name its series (of every component and type) or, if there are none, a signal without a series.
 * @param owners those with the same id together; a series of the first has precedence over one with the same component,
 * name and type of the next
 * @param all series of these owners; those of others are ignored
 */
export function listSignals(owners: ViewedOwner[][], names: string[], all: Series[]): Signal[] {
  const byOwner = new Map<string, Series[]>()
  for (const series of all) {
    const key = ownerKey(series)
    byOwner.set(key, [...(byOwner.get(key) ?? []), series])
  }
  return owners.flatMap((same) => listSignalsOf(same, byOwner, names))
}

const ownerKey = ({ ownerType, ownerId }: Owner) => `${ownerType} ${ownerId}`

function listSignalsOf(same: ViewedOwner[], byOwner: Map<string, Series[]>, names: string[]): Signal[] {
  const found = new Map<string, Signal>()
  for (const owner of same)
    for (const series of byOwner.get(ownerKey(owner)) ?? []) {
      const key = formatSignalId(series)
      if (!found.has(key)) found.set(key, { key: series, series, modelId: owner.modelId })
    }
  return [...new Set(names)].flatMap((name): Signal[] => {
    const signals = [...found.values()].filter((signal) => signal.key.name === name)
    return signals.length > 0 ? signals : [unknownSignal(same[0]!, name)]
  })
}

/** Lists the items of the response: one for each signal, or for each of its aggregations. */
export function listItems(signals: Signal[], { aggregations, ...query }: RequestedQuery): ResultItem[] {
  const queries =
    aggregations.length > 0 ? aggregations.map((aggregation) => ({ ...query, aggregation })) : [query]
  const types = aggregations.map(({ type }) => type)
  const ahead = query.where || isRolledUp(query) ? undefined : createReadAhead(signals, { ...query, types })
  return signals.flatMap((signal) => {
    const pass = types.length > 1 ? createSharedPass(types) : undefined
    return queries.map((one) => ({ signal, query: one, pass, ahead }))
  })
}

/** Whether rollups may stand in the place of samples of the span. */
export const isRolledUp = ({
  from,
  rolledUpBeforeMs = -Infinity,
}: Pick<TimeseriesQuery, 'from' | 'rolledUpBeforeMs'>) => from < rolledUpBeforeMs

const unknownSignal = ({ modelId, ...owner }: ViewedOwner, name: string): Signal => ({
  key: { ...owner, componentId: '', name, type: 'telemetry' },
  series: undefined,
  modelId,
})

/** The id of the signal's endpoint. [docs/assets#endpoints] */
export const formatSignalId = ({ ownerId, componentId, type, name }: SeriesKey) =>
  `${ownerId}/${componentId || '-'}/${type === 'telemetry' ? 'telemetry' : 'property'}/${name}`

export const resultName = ({ signal: { key }, query: { aggregation } }: ResultItem) =>
  aggregation ? `${key.name}_${aggregation.type}` : key.name

/** Yields the points in time order, page by page. @returns whether there are more points than the limit */
export async function* pointPages(
  db: Kysely<Tables>,
  { signal: { series, modelId }, query, pass, ahead }: ResultItem,
  output: Output,
): AsyncGenerator<Page, boolean> {
  if (!series || query.from >= query.to) return false
  const { aggregation, from, to, where, rolledUpBeforeMs } = query
  const selection: Selection = { series, modelId, from, to, where, rolledUpBeforeMs }
  const rows = await ahead?.take(db, series)
  if (aggregation) return yield* bucketPages(db, selection, { aggregation, pass, rows, ...output })
  return yield* samplePages(db, selection, { rows, ...output })
}
