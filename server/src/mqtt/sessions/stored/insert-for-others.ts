/** Messages for sessions that another node owns, or that wait for their device. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { MAX_QUEUED_BYTES, MAX_QUEUED_MESSAGES } from '../../connection/limits.ts'
import { PUBLICATION_COLUMNS, publicationArrays } from './message-rows.ts'
import type { OperationOfKind } from './operations.ts'
import type { DroppedMessages } from './stored-sessions.ts'

/**
 * Where a session has too many messages, the oldest that were not sent are dropped. [docs/mqtt#sessions]
 * @returns what was dropped because of each operation
 */
export async function insertForOthers(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'insertForOthers'>[],
  existing: { has(sessionNumber: number): boolean },
): Promise<DroppedMessages[][]> {
  const dropped = new Map<unknown, DroppedMessages[]>(operations.map((operation) => [operation, []]))
  const entries = operations.flatMap((operation) =>
    operation.receivers
      .filter(({ number }) => existing.has(number))
      .map(({ number, qos }) => ({ sessionNumber: number, qos, operation })),
  )
  if (entries.length > 0) {
    await insertEntries(tx, operations, entries)
    // If several operations concern one session, the last one reports.
    const reporting = new Map(entries.map(({ sessionNumber, operation }) => [sessionNumber, operation]))
    for (const { session_number, count } of await dropBeyondLimits(tx, [...reporting.keys()])) {
      const sessionNumber = Number(session_number)
      dropped.get(reporting.get(sessionNumber))!.push({ sessionNumber, count })
    }
  }
  return operations.map((operation) => dropped.get(operation)!)
}

/** A payload for many sessions is sent to the database once. */
async function insertEntries(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'insertForOthers'>[],
  entries: { sessionNumber: number; qos: number; operation: OperationOfKind<'insertForOthers'> }[],
) {
  const places = new Map(operations.map((operation, index) => [operation, index + 1]))
  await sql`
    insert into mqtt_session_messages (session_number, topic, payload, qos, retain, properties, expires_at)
    select session_number, topic, payload, entry.qos, retain, properties, to_timestamp(expires_at_ms / 1000)
    from unnest(${publicationArrays(operations.map(({ publication }) => publication))})
      with ordinality as publication (${PUBLICATION_COLUMNS}, place)
    join unnest(${entries.map(({ sessionNumber }) => sessionNumber)}::bigint[],
      ${entries.map(({ operation }) => places.get(operation)!)}::int[],
      ${entries.map(({ qos }) => qos)}::smallint[]) as entry (session_number, place, qos) using (place)
    order by place`.execute(tx)
}

/** Messages that may have been sent count, but stay. */
async function dropBeyondLimits(tx: Kysely<Tables>, sessionNumbers: number[]) {
  const { rows } = await sql<{ session_number: string; count: number }>`
    with dropped as (
      delete from mqtt_session_messages where number = any(array(
        select number from (
          select number, packet_id, row_number() over newest_first as place,
            sum(octet_length(payload)) over newest_first as bytes
          from mqtt_session_messages where session_number = any(${sessionNumbers}::bigint[])
          window newest_first as (partition by session_number order by packet_id is null, number desc
            rows unbounded preceding)
        ) as message where packet_id is null and (place > ${MAX_QUEUED_MESSAGES} or bytes > ${MAX_QUEUED_BYTES})))
      returning session_number
    )
    select session_number, count(*)::int as count from dropped group by session_number`.execute(tx)
  return rows
}
