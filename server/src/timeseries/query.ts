/** The historical query: samples or aggregates of some signals of one owner, or of two of one id. [interface: Timeseries query and result] */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Aggregation, aggregate } from './aggregate.ts'
import type { ViewedOwner } from './owner.ts'
import type { Point } from './point.ts'
import { samplePages } from './raw.ts'
import type { Selection } from './selection.ts'
import { listSeriesNamed, type Series, type SeriesKey } from './series.ts'
import type { Where } from './where-clause/tree.ts'

const PIECE = 5000
/** Reading the rows of a page holds the event loop, and each page goes through all the samples behind it once more. */
const BUCKETS_A_PAGE = 20_000
/** Of one signal. [contract §6] */
export const RESULT_LIMIT = 100_000

export interface TimeseriesQuery {
  names: string[]
  /** Milliseconds since 1970; the span holds its first moment and not its last, so that spans side by side share none. */
  from: number
  to: number
  aggregation?: Aggregation
  where?: Where
}

export interface Signal {
  key: SeriesKey
  /** Nothing where nobody ever sent such a signal. */
  series: Series | undefined
  modelId: string | null
}

/**
 * For each name its series (of every component and type) or, where there is none, the signal that it would be.
 * @param owners the first one's series stand before those of the same component, name and type of the next
 */
export async function listSignals(
  db: Kysely<Tables>,
  owners: ViewedOwner[],
  names: string[],
): Promise<Signal[]> {
  const found = new Map<string, Signal>()
  for (const owner of owners)
    for (const series of await listSeriesNamed(db, owner, names)) {
      const key = signalIdOf(series)
      if (!found.has(key)) found.set(key, { key: series, series, modelId: owner.modelId })
    }
  return [...new Set(names)].flatMap((name): Signal[] => {
    const signals = [...found.values()].filter((signal) => signal.key.name === name)
    return signals.length > 0 ? signals : [unknownSignal(owners[0]!, name)]
  })
}

const unknownSignal = ({ modelId, ...owner }: ViewedOwner, name: string): Signal => ({
  key: { ...owner, componentId: '', name, type: 'telemetry' },
  series: undefined,
  modelId,
})

/** The endpoint that the signal is. [contract §5] */
export const signalIdOf = ({ ownerId, componentId, type, name }: SeriesKey) =>
  `${ownerId}/${componentId || '-'}/${type === 'telemetry' ? 'telemetry' : 'property'}/${name}`

export const resultName = ({ name }: SeriesKey, { aggregation }: TimeseriesQuery) =>
  aggregation ? `${name}_${aggregation.type}` : name

/** In time order, all of them, page by page. */
export async function* pointPages(
  db: Kysely<Tables>,
  { series, modelId }: Signal,
  query: TimeseriesQuery,
): AsyncGenerator<Point[]> {
  if (!series || query.from >= query.to) return
  const selection: Selection = { series, modelId, from: query.from, to: query.to, where: query.where }
  if (query.aggregation) yield* bucketPages(db, selection, query.aggregation)
  else yield* samplePages(db, selection)
}

/** @returns whether there are more than `limit` */
export async function* limited(
  pages: AsyncIterable<Point[]>,
  limit: number,
): AsyncGenerator<Point[], boolean> {
  let left = limit
  for await (const page of pages) {
    if (page.length > left) {
      yield page.slice(0, left)
      return true
    }
    left -= page.length
    yield page
  }
  return false
}

async function* bucketPages(
  db: Kysely<Tables>,
  selection: Selection,
  aggregation: Aggregation,
): AsyncGenerator<Point[]> {
  let after: number | undefined
  for (let hasMore = true; hasMore;) {
    const page = await aggregate(db, selection, aggregation, { after, limit: BUCKETS_A_PAGE })
    // In pieces: turning all of them into text at once would hold up everything else.
    for (let from = 0; from < page.points.length; from += PIECE) yield page.points.slice(from, from + PIECE)
    after = page.points.at(-1)?.time
    hasMore = page.hasMore
  }
}
