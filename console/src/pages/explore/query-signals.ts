/** Reads the samples of signals in the resolution of the screen. */
import { type Body, ConnectionError, type Gangway } from '@gangway/client'
import { createSamples, type Samples } from '../../charts/samples/samples.ts'
import type { Range } from '../../charts/time/range.ts'
import { readAnswer } from './read-answer.ts'
import { countPerBucket, joinEnvelope, joinStates } from './read-samples.ts'
import {
  chooseInterval,
  fitToRollups,
  type Interval,
  intervalMs,
  type Resolution,
  type SingleAggregation,
} from './resolution.ts'
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
  /** `whole` is one bucket for the whole time. */
  resolution: Resolution | { kind: 'whole'; type: SingleAggregation }
  zone: string
  width: number
  /** Whether signals of owners that are missing have no samples, as long as one owner of their request is there. */
  mayMiss?: boolean
}

export type TimeseriesBody = Body<'post', '/v1/timeseries/get'>
type Type = NonNullable<TimeseriesBody['aggregationTypes']>[number]

export interface OwnerQuery extends Pick<SignalQuery, 'range' | 'zone'> {
  ownerId: string
  signals: Signal[]
  aggregation?: { types: readonly Type[]; interval: Interval } | undefined
}

/** Of each bucket of an envelope; only `last` has the values that are no numbers. */
export const envelopeTypes = ['avg', 'min', 'max', 'last'] as const

export const writeBody = ({ ownerId, aggregation, ...query }: OwnerQuery): TimeseriesBody => ({
  assetId: ownerId,
  ...writeSpan(query),
  ...(aggregation && {
    aggregationTypes: [...aggregation.types],
    aggregationInterval: aggregation.interval,
    timeZone: query.zone,
  }),
})

const writeSpan = ({ signals, range }: Pick<OwnerQuery, 'signals' | 'range'>) => ({
  timeseriesName: [...new Set(signals.map(({ name }) => name))],
  searchSpanFrom: new Date(range.from).toISOString(),
  searchSpanTo: new Date(range.to).toISOString(),
})

/** Limits of a request. [docs/telemetry#queries] */
const MOST_OWNERS = 100
const MOST_NAMES = 100

/** Splits signals into those of one request each: owners with the same names share one. */
export function splitSignals(signals: Signal[]): Signal[][] {
  const shared = new Map<string, Signal[][]>()
  for (const ofOwner of groupByOwner(signals).values())
    for (const part of splitNames(ofOwner)) {
      const key = JSON.stringify([...new Set(part.map(({ name }) => name))].toSorted())
      shared.set(key, [...(shared.get(key) ?? []), part])
    }
  return [...shared.values()].flatMap((owners) => chunk(owners, MOST_OWNERS).map((some) => some.flat()))
}

function splitNames(signals: Signal[]): Signal[][] {
  const names = [...new Set(signals.map(({ name }) => name))]
  return chunk(names, MOST_NAMES).map((some) => signals.filter(({ name }) => some.includes(name)))
}

function chunk<Item>(items: Item[], most: number): Item[][] {
  const parts: Item[][] = []
  for (let at = 0; at < items.length; at += most) parts.push(items.slice(at, at + most))
  return parts
}

/**
 * @param signal also ends the reading of a long answer, for which there is no other limit
 * @throws the refusal of a missing owner, see `mayMiss`
 */
export async function querySignals(
  api: Gangway,
  query: SignalQuery,
  signal: AbortSignal,
): Promise<SignalSamples[]> {
  const answers = await Promise.all(
    splitSignals(query.signals).map((signals) => queryFitting(api, { ...query, signals }, signal)),
  )
  const byId = new Map(answers.flat().map((answer) => [answer.signal.id, answer]))
  return query.signals.map((each) => byId.get(each.id)!)
}

/** Where only rollups are left, a resolution that they do not have is replaced by theirs. */
async function queryFitting(api: Gangway, query: SignalQuery, abort: AbortSignal): Promise<SignalSamples[]> {
  const { resolution } = query
  let isRolledUp = false
  const read = createReader(api, query, { abort, onRolledUp: () => (isRolledUp = true) })
  const found = await queryPart(read, query)
  const fitting = isRolledUp && resolution.kind !== 'whole' ? fitToRollups(resolution) : undefined
  return fitting ? queryPart(read, { ...query, resolution: fitting }) : found
}

/** Samples of each signal, in the order of the aggregations. */
type Answers = Map<string, { samples: Samples[]; isCut: boolean }>
type Reader = (
  signals: Signal[],
  aggregation?: { types: readonly Type[]; interval?: Interval },
) => Promise<Answers>

const createReader =
  (
    api: Gangway,
    { range, zone, mayMiss = false }: SignalQuery,
    { abort, onRolledUp }: { abort: AbortSignal; onRolledUp: () => void },
  ): Reader =>
  async (signals, aggregation) => {
    const send = async (owners: string[]) => {
      const response = await api.request('post', '/v1/timeseries/get', {
        body: {
          ...(owners.length === 1 ? { assetId: owners[0]! } : { assetIds: owners }),
          ...writeSpan({ signals, range }),
          ...(aggregation && {
            aggregationTypes: [...aggregation.types],
            ...(aggregation.interval && { aggregationInterval: aggregation.interval }),
            timeZone: zone,
          }),
        },
        signal: abort,
      })
      return readAnswer(await readText(response, abort))
    }
    const owners = [...groupByOwner(signals).keys()]
    const { items, missing, samplesFromMs } = await send(owners)
    if (samplesFromMs !== undefined) onRolledUp()
    // The question for one owner alone is refused with the reason.
    if (missing.length > 0 && (!mayMiss || missing.length === owners.length)) await send([missing[0]!])
    const answers: Answers = new Map()
    for (const { signalId, samples, isCut } of items) {
      const before = answers.get(signalId) ?? { samples: [], isCut: false }
      answers.set(signalId, { samples: [...before.samples, samples], isCut: before.isCut || isCut })
    }
    return answers
  }

/** @throws the reason of the signal if it aborts, ConnectionError if the connection breaks */
async function readText(response: Response, abort: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw abort.aborted ? abort.reason : new ConnectionError('POST /v1/timeseries/get', error)
  }
}

async function queryPart(read: Reader, query: SignalQuery): Promise<SignalSamples[]> {
  const { resolution, range } = query
  if (resolution.kind === 'raw') return readRaw(read, query)
  if (resolution.kind === 'envelope') return readEnvelopes(read, query, resolution.interval)
  if (resolution.kind === 'single') return readBuckets(read, query, resolution)
  const answers = await read(query.signals, { types: [resolution.type] })
  return query.signals.map((signal) => ({
    signal,
    samples: answers.get(signal.id)?.samples[0] ?? createSamples(),
    bucketMs: range.to - range.from,
    isCut: answers.get(signal.id)?.isCut ?? false,
  }))
}

/** Also asked for, since they tell how many samples a bucket has, and so whether one that is missing is a gap. */
const countingTypes = ['avg', 'sum'] as const

async function readBuckets(
  read: Reader,
  query: SignalQuery,
  { type, interval }: { type: SingleAggregation; interval: Interval },
): Promise<SignalSamples[]> {
  const types = [...new Set([type, ...countingTypes])]
  const answers = await read(query.signals, { types, interval })
  return query.signals.map((signal) => {
    const { samples: found = [], isCut = false } = answers.get(signal.id) ?? {}
    const [mean, sum] = countingTypes.map((counting) => found[types.indexOf(counting)])
    const samples = found[0] ?? createSamples()
    const perBucket = mean && sum && countPerBucket(mean, sum)
    return { signal, samples: { ...samples, perBucket }, bucketMs: intervalMs(interval), isCut }
  })
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
        samples: answers.get(signal.id)?.samples[0] ?? createSamples(),
        bucketMs: undefined,
        isCut: false,
      },
  )
}

async function readEnvelopes(read: Reader, query: SignalQuery, interval: Interval): Promise<SignalSamples[]> {
  const answers = await read(query.signals, { types: [...envelopeTypes, 'sum'], interval })
  return query.signals.map((signal) => {
    const answer = answers.get(signal.id)
    const samples = answer === undefined ? createSamples() : joinBuckets(answer.samples)
    return { signal, samples, bucketMs: intervalMs(interval), isCut: answer?.isCut ?? false }
  })
}

/** @param samples those of `envelopeTypes`, and the sum */
const joinBuckets = ([mean, least, greatest, last, sum]: Samples[]): Samples => ({
  ...(last!.states ? joinStates(last!, mean!, least!, greatest!) : joinEnvelope(mean!, least!, greatest!)),
  perBucket: countPerBucket(mean!, sum!),
})
