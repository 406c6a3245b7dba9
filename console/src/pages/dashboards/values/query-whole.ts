/** Reads one aggregate of each signal over the whole time. */
import type { Gangway } from '@gangway/client'
import type { Range } from '../../../charts/time/range.ts'
import { type SignalSamples, writeBody } from '../../explore/query-signals.ts'
import { type Point, readSamples } from '../../explore/read-samples.ts'
import type { Signal } from '../../explore/signal.ts'
import type { SingleAggregation } from './history.ts'

interface WholeQuery {
  /** Of one asset. */
  signals: Signal[]
  range: Range
  zone: string
  type: SingleAggregation
}

export async function queryWhole(
  api: Gangway,
  { type, ...query }: WholeQuery,
  signal: AbortSignal,
): Promise<SignalSamples[]> {
  // Without an interval the whole time is one bucket.
  const body = { ...writeBody({ ...query, ownerId: query.signals[0]!.ownerId }), aggregationType: type }
  const { items } = await api.post('/v1/timeseries/get', { body, signal })
  const points = new Map(items.map((item) => [item.signalId, item.items as Point[]]))
  return query.signals.map((each) => ({
    signal: each,
    samples: readSamples(points.get(each.id) ?? []),
    bucketMs: query.range.to - query.range.from,
    isCut: false,
  }))
}
