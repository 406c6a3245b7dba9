/** The historical query: samples or aggregates of some signals of one owner. [interface: Timeseries query and result] */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type Aggregation, aggregate } from './aggregate.ts'
import type { Point } from './point.ts'
import { samplePages } from './raw.ts'
import type { Selection } from './selection.ts'
import { listSeriesNamed, type Owner, type Series, type SeriesKey } from './series.ts'
import type { Where } from './where-clause/tree.ts'

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
}

/** For each name its series (of every component and type) or, where there is none, the signal that it would be. */
export async function listSignals(db: Kysely<Tables>, owner: Owner, names: string[]): Promise<Signal[]> {
  const series = await listSeriesNamed(db, owner, names)
  return [...new Set(names)].flatMap((name): Signal[] => {
    const found = series.filter((one) => one.name === name).map((one) => ({ key: one, series: one }))
    const unknown: SeriesKey = { ...owner, componentId: '', name, type: 'telemetry' }
    return found.length > 0 ? found : [{ key: unknown, series: undefined }]
  })
}

/** The endpoint that the signal is. [contract §5] */
export const signalIdOf = ({ ownerId, componentId, type, name }: SeriesKey) =>
  `${ownerId}/${componentId || '-'}/${type === 'telemetry' ? 'telemetry' : 'property'}/${name}`

export const resultName = ({ name }: SeriesKey, { aggregation }: TimeseriesQuery) =>
  aggregation ? `${name}_${aggregation.type}` : name

/** In time order, all of them, page by page. */
export async function* pointPages(
  db: Kysely<Tables>,
  { series }: Signal,
  query: TimeseriesQuery,
): AsyncGenerator<Point[]> {
  if (!series || query.from >= query.to) return
  const selection: Selection = { series, from: query.from, to: query.to, where: query.where }
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
    // One more than an answer holds, so that one query shows that there are more.
    const page = await aggregate(db, selection, aggregation, { after, limit: RESULT_LIMIT + 1 })
    if (page.points.length > 0) yield page.points
    after = page.points.at(-1)?.time
    hasMore = page.hasMore
  }
}
