/** Queries while others store, delete, pack and move: no answer may be one that no state of the list explains. */
import { expect } from 'vitest'
import type { TimeseriesApi } from '../timeseries-api.ts'
import { judge, type Lives } from './lives.ts'
import { type Message, names, owners } from './operations.ts'

interface Watched {
  api: TimeseriesApi
  tenantId: string
  lives: Lives
}

const wholeTime = {
  assetIds: owners,
  searchSpanFrom: '0001-01-01T00:00:00Z',
  searchSpanTo: '9999-12-31T23:59:59.999Z',
}

/** Counts equal samples: those of one series and time may have the same value. */
type Counts = Map<string, number>

function countSamples(messages: Message[]): Counts {
  const counts: Counts = new Map()
  for (const { owner, type, time, values } of messages)
    for (const [name, value] of Object.entries(values))
      addTo(
        counts,
        describeSample(`${owner}/-/${type === 'telemetry' ? type : 'property'}/${name}`, time, value),
      )
  return counts
}

const addTo = (counts: Counts, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
const describeSample = (signalId: string, time: number, value: unknown) =>
  `${signalId} ${time} ${Object.is(value, -0) ? '-0' : JSON.stringify(value)}`

interface Item {
  signalId: string
  name: string
  items: { value: unknown; timestamp: string }[]
}

async function ask({ api, tenantId, lives }: Watched, body: object) {
  const askedAt = lives.clock
  const answer = await api.post(tenantId, '/v1/timeseries/get', { ...wholeTime, ...body })
  expect(answer).toMatchObject({ status: 200 })
  return { items: answer.body.items as Item[], ...judge(lives, askedAt) }
}

export async function watchRaw(watched: Watched): Promise<void> {
  const { items, must, may } = await ask(watched, { timeseriesName: names })
  const found: Counts = new Map()
  for (const { signalId, items: points } of items) {
    const times = points.map(({ timestamp }) => Date.parse(timestamp))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    for (const [index, { value }] of points.entries())
      addTo(found, describeSample(signalId, times[index]!, value))
  }
  const least = countSamples(must)
  const most = countSamples(may)
  const missing = [...least].filter(([key, count]) => (found.get(key) ?? 0) < count)
  const tooMany = [...found].filter(([key, count]) => count > (most.get(key) ?? 0))
  expect({ missing, tooMany }).toEqual({ missing: [], tooMany: [] })
}

/** The largest of the numbers is at least that of what must be there, and one of those that may be there. */
export async function watchMaximum(watched: Watched): Promise<void> {
  const name = 'decimal'
  const { items, must, may } = await ask(watched, {
    timeseriesName: [name],
    aggregationTypes: ['max', 'min'],
  })
  const list = (messages: Message[], signalId: string) =>
    messages
      .filter(
        ({ owner, type }) => signalId === `${owner}/-/${type === 'telemetry' ? type : 'property'}/${name}`,
      )
      .flatMap(({ values }) => (name in values ? [values[name] as number] : []))
  for (const { signalId, items: buckets, name: result } of items) {
    const sign = result.endsWith('_max') ? 1 : -1
    const [bucket] = buckets
    const found = bucket ? sign * (bucket.value as number) : -Infinity
    const least = Math.max(...list(must, signalId).map((value) => sign * value))
    expect(found).toBeGreaterThanOrEqual(least)
    if (bucket) expect(list(may, signalId)).toContain(bucket.value)
  }
}
