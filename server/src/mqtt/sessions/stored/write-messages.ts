/** Messages of sessions that this node owns. Each function runs one statement for all operations of its kind. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { PUBLICATION_COLUMNS, publicationArrays } from './message-rows.ts'
import type { OperationOfKind } from './operations.ts'

/** @returns their numbers */
export async function insertMessages(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'insertMessage'>[],
): Promise<number[]> {
  if (operations.length === 0) return []
  const { rows } = await sql<{ number: string; session_number: string; packet_id: number }>`
    insert into mqtt_session_messages (session_number, packet_id, topic, payload, qos, retain, properties, expires_at)
    select session_number, packet_id, topic, payload, qos, retain, properties, to_timestamp(expires_at_ms / 1000)
    from unnest(${sessionNumbers(operations)}::bigint[], ${operations.map(({ packetId }) => packetId)}::int[],
      ${publicationArrays(operations.map(({ publication }) => publication))})
      with ordinality as new (session_number, packet_id, ${PUBLICATION_COLUMNS}, place)
    order by place
    returning number, session_number, packet_id`.execute(tx)
  const numbers = new Map(rows.map((row) => [`${row.session_number} ${row.packet_id}`, Number(row.number)]))
  return operations.map(({ session, packetId }) => numbers.get(`${session.number} ${packetId}`)!)
}

/** The message does not expire any more: the device waits for its PUBREL. */
export async function releaseMessages(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'releaseMessage'>[],
): Promise<void> {
  if (operations.length === 0) return
  await sql`
    update mqtt_session_messages as message
    set is_released = true, topic = '', payload = '', properties = null, expires_at = null
    from unnest(${sessionNumbers(operations)}::bigint[], ${messageNumbers(operations)}::bigint[])
      as released (session_number, number)
    where message.number = released.number and message.session_number = released.session_number`.execute(tx)
}

export async function deleteMessages(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'deleteMessage'>[],
): Promise<void> {
  if (operations.length === 0) return
  await sql`
    delete from mqtt_session_messages as message
    using unnest(${sessionNumbers(operations)}::bigint[], ${messageNumbers(operations)}::bigint[])
      as delivered (session_number, number)
    where message.number = delivered.number and message.session_number = delivered.session_number`.execute(tx)
}

const sessionNumbers = (operations: { session: { number: number } }[]) =>
  operations.map(({ session }) => session.number)
const messageNumbers = (operations: { messageNumber: number }[]) =>
  operations.map(({ messageNumber }) => messageNumber)
