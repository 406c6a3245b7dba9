/** Reads the samples of signals in the resolution of the screen. */
import type { Body, Gangway } from '@gangway/client'
import type { Samples } from '../../charts/samples/samples.ts'
import type { Range } from '../../charts/time/range.ts'
import { type Point, readEnvelope, readSamples } from './read-samples.ts'
import { chooseInterval, type Interval, intervalMs, type Resolution } from './resolution.ts'
import { groupByOwner, type Signal } from './signal.ts'

export interface SignalSamples {
  signal: Signal
  samples: Samples
  /** Length of the buckets; undefined for raw samples. */
  bucketMs: number | undefined
  /** Whether the response was cut because the server has more values than its limit. */
  isCut: boolean
}

export interface SignalQuery {
  signals: Signal[]
  range: Range
  resolution: Resolution
  zone: string
  width: number
}

export type TimeseriesBody = Body<'post', '/v1/timeseries/get'>
type Type = NonNullable<TimeseriesBody['aggregationType']>

export interface OwnerQuery extends Omit<SignalQuery, 'resolution' | 'signals' | 'width'> {
  ownerId: string
  signals: Signal[]
  aggregation?: { type: Type; interval: Interval } | undefined
}

export function writeBody({ ownerId, signals, range, zone, aggregation }: OwnerQuery): TimeseriesBody {
  return {
    assetId: ownerId,
    timeseriesName: [...new Set(signals.map(({ name }) => name))],
    searchSpanFrom: new Date(range.from).toISOString(),
    searchSpanTo: new Date(range.to).toISOString(),
    ...(aggregation && {
      aggregationType: aggregation.type,
      aggregationInterval: aggregation.interval,
      timeZone: zone,
    }),
  }
}

export async function querySignals(
  api: Gangway,
  query: SignalQuery,
  signal: AbortSignal,
): Promise<SignalSamples[]> {
  const groups = [...groupByOwner(query.signals)]
  const answers = await Promise.all(
    groups.map(([ownerId, signals]) =>
      queryOwner(createReader(api, { ...query, ownerId, signals }, signal), { ...query, signals }),
    ),
  )
  const byId = new Map(answers.flat().map((answer) => [answer.signal.id, answer]))
  return query.signals.map((each) => byId.get(each.id)!)
}

type Answers = Map<string, { points: Point[]; isCut: boolean }>
type Reader = (signals: Signal[], aggregation?: OwnerQuery['aggregation']) => Promise<Answers>

const createReader =
  (api: Gangway, query: OwnerQuery, abort: AbortSignal): Reader =>
  async (signals, aggregation) => {
    const body = writeBody({ ...query, signals, aggregation })
    const { items } = await api.post('/v1/timeseries/get', { body, signal: abort })
    return new Map(
      items.map(({ signalId, items: points, queryResultLimitReached }) => [
        signalId,
        { points: points as Point[], isCut: queryResultLimitReached !== null },
      ]),
    )
  }

async function queryOwner(read: Reader, query: SignalQuery): Promise<SignalSamples[]> {
  const { resolution } = query
  if (resolution.kind === 'raw') return readRaw(read, query)
  const { interval } = resolution
  if (resolution.kind === 'envelope') return readEnvelopes(read, query, interval)
  const answers = await read(query.signals, { type: resolution.type, interval })
  return query.signals.map((signal) => ({
    signal,
    samples: readSamples(answers.get(signal.id)?.points ?? []),
    bucketMs: intervalMs(interval),
    isCut: answers.get(signal.id)?.isCut ?? false,
  }))
}

/** Reads raw samples; signals that the server cuts are read again in buckets. */
async function readRaw(read: Reader, query: SignalQuery): Promise<SignalSamples[]> {
  const answers = await read(query.signals)
  const cut = query.signals.filter(({ id }) => answers.get(id)?.isCut)
  const interval = chooseInterval(query.range.to - query.range.from, query.width)
  const reduced = cut.length > 0 ? await readEnvelopes(read, { ...query, signals: cut }, interval) : []
  return query.signals.map(
    (signal) =>
      reduced.find((other) => other.signal.id === signal.id) ?? {
        signal,
        samples: readSamples(answers.get(signal.id)?.points ?? []),
        bucketMs: undefined,
        isCut: false,
      },
  )
}

/** Sends a request per aggregation, since a request has only one aggregation. */
async function readEnvelopes(read: Reader, query: SignalQuery, interval: Interval): Promise<SignalSamples[]> {
  const types = ['avg', 'min', 'max', 'last'] as const
  const [average, least, greatest, last] = (await Promise.all(
    types.map((type) => read(query.signals, { type, interval })),
  )) as [Answers, Answers, Answers, Answers]
  return query.signals.map((signal) => {
    const points = (answers: Answers) => answers.get(signal.id)?.points ?? []
    const isNumeric = points(last).every(({ value }) => typeof value === 'number')
    const samples = isNumeric
      ? readEnvelope(points(average), points(least), points(greatest))
      : readSamples(points(last))
    return { signal, samples, bucketMs: intervalMs(interval), isCut: isAnyCut(signal, average, last) }
  })
}

const isAnyCut = ({ id }: Signal, ...all: Answers[]) => all.some((answers) => answers.get(id)?.isCut === true)
