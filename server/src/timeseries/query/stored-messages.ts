import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { findPackedMessages } from '../storage/packed/find-packed.ts'
import { mayBePacked } from '../storage/packed/settling.ts'

export interface MessagePlace {
  tenantNumber: number
  clientId: string
  messageId: bigint
  sinceMs: number
  untilMs: number
}

/**
 * Searches for telemetry messages by their rows under their clients. Rows come first, since they may be packed at any time.
 * @returns the places in the list of messages that are stored
 */
export async function listStoredMessages(db: Kysely<Tables>, messages: MessagePlace[]): Promise<Set<number>> {
  const found = await findRows(db, messages)
  const nowMs = Date.now()
  const old = messages.flatMap((message, place) =>
    mayBePacked(message.sinceMs, nowMs) && !found.has(place) ? [{ ...message, place }] : [],
  )
  if (old.length === 0) return found
  const streams = await listStreams(db, old)
  const wanted = old.flatMap((message, index) => {
    const streamNumber = streams.get(index)
    return streamNumber === undefined ? [] : [{ ...message, streamNumber }]
  })
  for (const index of await findPackedMessages(db, wanted)) found.add(wanted[index]!.place)
  return found
}

/** Reads each client once, independent of the number of its messages. */
async function findRows(db: Kysely<Tables>, messages: MessagePlace[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    with wanted as materialized (
      select w.tenant_number, st.number as stream_number, w.message_id, w.since, w.until, w.place
      from unnest(
        ${messages.map(({ tenantNumber }) => tenantNumber)}::int[],
        ${messages.map(({ clientId }) => clientId)}::text[],
        ${messages.map(({ messageId }) => `${messageId}`)}::bigint[],
        ${messages.map(({ sinceMs }) => new Date(sinceMs))}::timestamptz[],
        ${messages.map(({ untilMs }) => new Date(untilMs))}::timestamptz[]
      ) with ordinality as w (tenant_number, owner_id, message_id, since, until, place)
      join streams st on st.tenant_number = w.tenant_number and st.owner_type = 'client'
        and st.owner_id = w.owner_id and st.type = 'telemetry'
    ), span as materialized (
      select tenant_number, stream_number, min(since) as since, max(until) as until from wanted group by 1, 2
    )
    select w.place::int - 1 as place from span join lateral (
      select message_id from sample_rows r
      where r.tenant_number = span.tenant_number and r.stream_number = span.stream_number
        and r.time between span.since and span.until
    ) stored on true
    join wanted w using (tenant_number, stream_number, message_id)`.execute(db)
  return new Set(rows.map(({ place }) => place))
}

/** @returns the numbers of the clients' streams by their index in the list */
async function listStreams(
  db: Kysely<Tables>,
  clients: Pick<MessagePlace, 'tenantNumber' | 'clientId'>[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ place: number; number: number }>`
    select w.place::int - 1 as place, st.number
    from unnest(${clients.map(({ tenantNumber }) => tenantNumber)}::int[], ${clients.map(({ clientId }) => clientId)}::text[])
      with ordinality as w (tenant_number, owner_id, place)
    join streams st on st.tenant_number = w.tenant_number and st.owner_type = 'client'
      and st.owner_id = w.owner_id and st.type = 'telemetry'`.execute(db)
  return new Map(rows.map(({ place, number }) => [place, number]))
}
