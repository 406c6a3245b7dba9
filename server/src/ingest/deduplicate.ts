/**
 * Removes QoS 1 repeats that the unique key does not detect: repeats of messages that are timed by their arrival, which
 * have another time, and repeats of messages whose client's bindings changed since, which would be stored elsewhere.
 * Detecting them needs a query for stored samples, which is skipped for messages that cannot be repeats. It also finds
 * messages that an earlier process stored but could not acknowledge. [docs/telemetry#repeats]
 */
import { sql } from 'kysely'
import { newBudget } from '../lib/json-logic/budget.ts'
import type { SeriesKey } from '../timeseries/storage/series-key.ts'
import { findSeries } from '../timeseries/storage/series.ts'
import { seriesNumber } from '../timeseries/storage/series-registry.ts'
import type { StoreContext } from './batch.ts'
import { REPEAT_WINDOW_MS } from './dead-letters/store.ts'
import type { DeviceMessage } from './message.ts'
import { listPreviousPlans } from './projection/previous-plans.ts'
import { type Projected, projectOne, listSamples } from './projection/projected.ts'
import type { Plan } from './projection/step.ts'
import { ensureSampleSeries, findFirstSeries } from './sample-batch.ts'
import type { Samples } from './samples.ts'

type DeduplicationContext = Pick<StoreContext, 'db' | 'plans' | 'series'>

/** @param earlier resolves when earlier batches have ended, which may include the message that is repeated here */
export async function deduplicate(
  ctx: DeduplicationContext,
  projected: Projected[],
  earlier: Promise<unknown>,
): Promise<Projected[]> {
  const doubtful = new Map<Projected, Doubt>()
  for (const one of projected) {
    const doubt = findDoubt(ctx, one)
    if (doubt) doubtful.set(one, doubt)
  }
  if (doubtful.size === 0) return projected
  await ensureSampleSeries(ctx, listSamples([...doubtful.keys()]))
  await earlier
  const stored = await listStored(ctx, [...doubtful.values()])
  // The first message may be in this same batch.
  const firsts = new Map<string, DeviceMessage>()
  return projected.filter((one) => {
    const { message } = one.measurement
    const key = repeatKey(one)
    if (!firsts.has(key)) firsts.set(key, message)
    const isRepeat = stored.has(key) || firsts.get(key) !== message
    return !(doubtful.has(one) && isRepeat)
  })
}

/** A message that may have been stored before. */
interface Doubt {
  one: Projected
  /** Earlier plans of its client, where its bindings changed recently. */
  previousPlans: (Plan | undefined)[]
}

function findDoubt({ plans }: DeduplicationContext, one: Projected): Doubt | undefined {
  const { message, isTimedByArrival } = one.measurement
  if (!message.isRepeat || message.packetId === 0) return undefined
  const previousPlans = listPreviousPlans(plans.former, message.device.tenantId, message.device.id)
  return isTimedByArrival || previousPlans.length > 0 ? { one, previousPlans } : undefined
}

const repeatKey = ({ measurement: { message, messageId } }: Projected) =>
  `${message.device.number} ${messageId}`

/** The series and the period in which a message may be stored. */
interface Place {
  key: string
  tenantNumber: number
  seriesNumber: number
  messageId: string
  since: Date
  until: Date
}

/** One series of each message and plan is enough, since a message is stored as a whole. */
async function listPlaces(ctx: DeduplicationContext, doubts: Doubt[]): Promise<Place[]> {
  const kept = doubts.flatMap(({ one, previousPlans }) => [
    { one, samples: one.samples },
    ...previousPlans.map((plan) => {
      // A new budget, since the current plan may have spent most of the shared one, and the result must be the same as
      // it was then.
      const measurement = { ...one.measurement, budget: newBudget() }
      return { one, samples: projectOne(measurement, 'telemetry', plan).samples }
    }),
  ])
  const numbers = await firstSeriesNumbers(
    ctx,
    kept.map(({ samples }) => samples),
  )
  return kept.flatMap(({ one }, index) => {
    const number = numbers[index]
    return number === undefined ? [] : [createPlace(one, number)]
  })
}

function createPlace(one: Projected, number: number): Place {
  const { message, timeMs, isTimedByArrival, messageId } = one.measurement
  // Another node, with a different clock, may have received the message.
  const window = isTimedByArrival ? REPEAT_WINDOW_MS : 0
  const [since, until] = [new Date(timeMs - window), new Date(timeMs + window)]
  const { tenantNumber } = message.device
  return { key: repeatKey(one), tenantNumber, seriesNumber: number, messageId, since, until }
}

/**
 * Series of earlier plans may have left the registry. They are looked up but not created, since their asset may have
 * been deleted.
 */
async function firstSeriesNumbers(
  ctx: DeduplicationContext,
  all: Samples[][],
): Promise<(number | undefined)[]> {
  const keys = all.map(findFirstSeries)
  const unknown = keys.filter(
    (key): key is SeriesKey => key !== undefined && seriesNumber(ctx.series, key) === undefined,
  )
  const found = unknown.length > 0 ? await findSeries(ctx.db, unknown) : []
  const read = new Map<SeriesKey, number | undefined>(unknown.map((key, index) => [key, found[index]]))
  return keys.map((key) => key && (seriesNumber(ctx.series, key) ?? read.get(key)))
}

/** Reads each series once, however many messages are in doubt. */
async function listStored(ctx: DeduplicationContext, doubts: Doubt[]): Promise<Set<string>> {
  const places = await listPlaces(ctx, doubts)
  const { rows } = await sql<{ place: number }>`
    with doubtful as materialized (
      select * from unnest(
        ${places.map(({ tenantNumber }) => tenantNumber)}::int[],
        ${places.map((place) => place.seriesNumber)}::int[],
        ${places.map(({ messageId }) => messageId)}::bigint[],
        ${places.map(({ since }) => since)}::timestamptz[],
        ${places.map(({ until }) => until)}::timestamptz[]
      ) with ordinality as d (tenant_number, series_number, message_id, since, until, place)
    ), span as materialized (
      select tenant_number, series_number, min(since) as since, max(until) as until
      from doubtful group by tenant_number, series_number
    )
    select d.place::int from span, lateral (
      select message_id from samples s where s.tenant_number = span.tenant_number
        and s.series_number = span.series_number and s.time between span.since and span.until
      union all
      select message_id from samples_other s where s.tenant_number = span.tenant_number
        and s.series_number = span.series_number and s.time between span.since and span.until
    ) stored
    join doubtful d using (message_id)
    where d.tenant_number = span.tenant_number and d.series_number = span.series_number`.execute(ctx.db)
  return new Set(rows.map(({ place }) => places[place - 1]!.key))
}
