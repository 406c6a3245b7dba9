/** Reads the stored samples of an asset in time order, grouped by timestamp. */
import type { Kysely } from 'kysely'
import type { AlarmSignal, Tables } from '../../database/tables.ts'
import type { Page } from '../../timeseries/query/page.ts'
import { readPoints, timedValues } from '../../timeseries/query/point-format.ts'
import { samplePages } from '../../timeseries/query/raw.ts'
import { listAssetTelemetry, type Series } from '../../timeseries/storage/series.ts'

export interface Moment {
  ms: number
  values: { series: Series; value: unknown }[]
}

export interface Span {
  /** Milliseconds since 1970. `from` is inclusive, `to` is exclusive. */
  from: number
  to: number
}

/** Lists the telemetry series that the signals name, or all of the asset's where there are no signals. */
export async function listAssetSeries(
  db: Kysely<Tables>,
  tenantNumber: number,
  assetId: string,
  signals: AlarmSignal[],
): Promise<Series[]> {
  const all = await listAssetTelemetry(db, tenantNumber, assetId)
  return all.filter(
    ({ componentId, name }) =>
      signals.length === 0 || signals.some((s) => s.componentId === componentId && s.name === name),
  )
}

interface Stream {
  series: Series
  pages: AsyncGenerator<Page>
  page: [ms: number, value: unknown][]
  place: number
}

export async function* readMoments(db: Kysely<Tables>, series: Series[], span: Span): AsyncGenerator<Moment> {
  const streams: Stream[] = series.map((one) => ({
    series: one,
    pages: samplePages(db, { series: one, modelId: null, ...span }, { format: timedValues, limit: Infinity }),
    page: [],
    place: 0,
  }))
  for (;;) {
    for (const stream of streams) if (stream.place === stream.page.length) await turnPage(stream)
    const ms = streams.reduce(
      (first, { page, place }) => Math.min(first, page[place]?.[0] ?? Infinity),
      Infinity,
    )
    if (ms === Infinity) return
    const here = streams.filter(({ page, place }) => page[place]?.[0] === ms)
    yield {
      ms,
      values: here.map((stream) => ({
        series: stream.series,
        value: stream.page[stream.place++]![1],
      })),
    }
  }
}

async function turnPage(stream: Stream): Promise<void> {
  const next = await stream.pages.next()
  stream.page = next.done ? [] : readPoints(next.value.pieces)
  stream.place = 0
}
