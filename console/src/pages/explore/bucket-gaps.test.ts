import type { Gangway } from '@gangway/client'
import { expect, test } from 'vitest'
import { findLongestStep, listGaps } from '../../charts/samples/gaps.ts'
import { querySignals, type SignalQuery, type TimeseriesBody } from './query-signals.ts'
import { parseSignal } from './signal.ts'

const id = 'pump-7/-/telemetry/temperature'
const MINUTE_MS = 60_000
const range = { from: 0, to: 240 * MINUTE_MS }

interface Sent {
  /** The usual time between two samples, in seconds. */
  everySeconds: number
  /** How much earlier or later a sample comes. */
  jitterSeconds?: number
  /** No samples come in these minutes. */
  missing?: [fromMinute: number, toMinute: number]
}

function makeSamples({ everySeconds, jitterSeconds = 0, missing }: Sent) {
  const count = Math.floor(range.to / (everySeconds * 1000))
  return Array.from({ length: count }, (_, index) => ({
    // Differs from sample to sample, and is the same in each run.
    atMs: Math.max(0, index * everySeconds + jitterSeconds * Math.sin(index * 12.9898)) * 1000,
    value: 20 + index,
  })).filter(
    ({ atMs }) => missing === undefined || atMs < missing[0] * MINUTE_MS || atMs >= missing[1] * MINUTE_MS,
  )
}

const aggregates: Record<string, (values: number[]) => number> = {
  avg: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  last: (values) => values.at(-1)!,
}

/** Answers as the server does, with buckets of a minute. */
function answer(samples: ReturnType<typeof makeSamples>, { aggregationTypes = [] }: TimeseriesBody) {
  const buckets = new Map<number, number[]>()
  for (const { atMs, value } of samples) {
    const fromMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS
    buckets.set(fromMs, [...(buckets.get(fromMs) ?? []), value])
  }
  const items = aggregationTypes.map((type) => ({
    signalId: id,
    queryResultLimitReached: null,
    items: [...buckets].map(([atMs, values]) => ({
      value: aggregates[type]!(values),
      timestamp: new Date(atMs).toISOString(),
    })),
  }))
  return new Response(JSON.stringify({ items }))
}

/** Reads the samples in buckets of a minute. @returns the gaps of the line, in minutes */
async function findGaps(
  sent: Sent,
  resolution: SignalQuery['resolution'] = { kind: 'envelope', interval: 'PT1M' },
) {
  const samples = makeSamples(sent)
  const request = (_method: string, _path: string, { body }: { body: TimeseriesBody }) =>
    Promise.resolve(answer(samples, body))
  const query = { signals: [parseSignal(id)!], range, zone: 'UTC', width: 390, resolution }
  const [found] = await querySignals({ request } as unknown as Gangway, query, new AbortController().signal)
  return listGaps(found!.samples, findLongestStep(found!.samples, found!.bucketMs)).map(({ from, to }) => [
    from / MINUTE_MS,
    to / MINUTE_MS,
  ])
}

const near: [name: string, sent: Sent][] = [
  ['a minute, some early and some late', { everySeconds: 60, jitterSeconds: 20 }],
  ['a little more than a minute', { everySeconds: 63 }],
  ['a little less than a minute', { everySeconds: 58, jitterSeconds: 25 }],
]

test.each(near)('a bucket without a sample is no gap where samples come each: %s', async (_name, sent) => {
  expect(await findGaps(sent)).toEqual([])
  for (const type of ['avg', 'max', 'last'] as const)
    expect(await findGaps(sent, { kind: 'single', type, interval: 'PT1M' })).toEqual([])
})

test.each(near)('lacking samples are a gap where samples come each: %s', async (_name, sent) => {
  const gaps = await findGaps({ ...sent, missing: [100, 110] })
  expect(gaps).toHaveLength(1)
  expect(gaps[0]![0]).toBeLessThan(100)
  expect(gaps[0]![1]).toBeGreaterThanOrEqual(110)
})

test('one bucket without a sample is a gap where others have several', async () => {
  for (const everySeconds of [5, 25])
    expect(await findGaps({ everySeconds, missing: [100, 101] })).toEqual([[99, 101]])
})
