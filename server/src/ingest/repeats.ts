/**
 * QoS 1 repeats of messages that are timed by their arrival. They come again with another time, so that only a look at
 * what is stored can tell; it costs nothing for messages that do not say DUP. It also finds what an earlier process
 * stored and could not acknowledge any more. [interface: Events 7; contract §6]
 */
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { REPEAT_WINDOW_MS } from './dead-letters/store.ts'
import type { DeviceMessage } from './message.ts'
import type { Projected } from './projection/projected.ts'
import { firstSeriesNumber } from './sample-batch.ts'

/** @param earlier what else is on its way to the database, and might be the message that is repeated here */
export async function withoutRepeats(
  ctx: Context,
  projected: Projected[],
  earlier: Promise<unknown>,
): Promise<Projected[]> {
  const doubtful = projected.filter(isDoubtful)
  if (doubtful.length === 0) return projected
  await earlier
  const stored = await listStored(ctx, doubtful)
  // The first one may be in this very batch.
  const firsts = new Map<string, DeviceMessage>()
  return projected.filter((one) => {
    const { message } = one.measurement
    const key = keyOf(one)
    if (!firsts.has(key)) firsts.set(key, message)
    const isRepeat = stored.has(key) || firsts.get(key) !== message
    return !(isDoubtful(one) && isRepeat)
  })
}

const isDoubtful = ({ measurement: { message, isTimedByArrival } }: Projected) =>
  message.isRepeat && message.packetId > 0 && isTimedByArrival

const keyOf = ({ measurement: { message, messageId } }: Projected) => `${message.device.number} ${messageId}`

/**
 * One series of each message is enough, since a message is stored as a whole. Each series is gone through once, however
 * many messages are in doubt.
 */
async function listStored(ctx: Context, doubtful: Projected[]): Promise<Set<string>> {
  const { rows } = await sql<{ place: number }>`
    with doubtful as materialized (
      select * from unnest(
        ${doubtful.map(({ measurement }) => measurement.message.device.tenantNumber)}::int[],
        ${doubtful.map(({ samples }) => firstSeriesNumber(ctx.series, samples) ?? null)}::int[],
        ${doubtful.map(({ measurement }) => measurement.messageId)}::bigint[],
        ${doubtful.map(({ measurement }) => new Date(measurement.timeMs - REPEAT_WINDOW_MS))}::timestamptz[]
      ) with ordinality as d (tenant_number, series_number, message_id, since, place)
    ), span as materialized (
      select tenant_number, series_number, min(since) as since from doubtful group by tenant_number, series_number
    )
    select d.place::int from span, lateral (
      select message_id from samples s where s.tenant_number = span.tenant_number
        and s.series_number = span.series_number and s.time >= span.since
      union all
      select message_id from samples_other s where s.tenant_number = span.tenant_number
        and s.series_number = span.series_number and s.time >= span.since
    ) stored
    join doubtful d using (message_id)
    where d.tenant_number = span.tenant_number and d.series_number = span.series_number`.execute(ctx.db)
  return new Set(rows.map(({ place }) => keyOf(doubtful[place - 1]!)))
}
