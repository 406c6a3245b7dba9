import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { type MessageRow, readMessage } from './message-rows.ts'
import type { OperationOfKind } from './operations.ts'
import type { StoredMessage } from './stored-sessions.ts'

/** Assigns packet identifiers to the messages that have none. @returns the messages of each operation */
export async function takeNewMessages(
  tx: Kysely<Tables>,
  operations: OperationOfKind<'takeNewMessages'>[],
): Promise<StoredMessage[][]> {
  if (operations.length === 0) return []
  // This may be another try.
  for (const { packetIds } of operations) packetIds.revert()
  // If several operations concern one session, the first one takes all messages.
  const bySession = new Map(operations.toReversed().map((operation) => [operation.session.number, operation]))
  const rows = await listNewMessages(tx, [...bySession.keys()])
  const taken = new Map<unknown, StoredMessage[]>(operations.map((operation) => [operation, []]))
  for (const row of rows) {
    const operation = bySession.get(Number(row.session_number))!
    const packetId = operation.packetIds.choose()
    if (packetId !== undefined) taken.get(operation)!.push(readMessage(row, packetId))
  }
  await assignPacketIds(tx, [...taken.values()].flat())
  return operations.map((operation) => taken.get(operation)!)
}

async function listNewMessages(tx: Kysely<Tables>, sessionNumbers: number[]) {
  const { rows } = await sql<MessageRow & { session_number: string }>`
    select * from mqtt_session_messages
    where session_number = any(${sessionNumbers}::bigint[]) and packet_id is null
      and (expires_at is null or expires_at > now())
    order by number`.execute(tx)
  return rows
}

export async function assignPacketIds(
  tx: Kysely<Tables>,
  messages: Pick<StoredMessage, 'number' | 'packetId'>[],
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    update mqtt_session_messages as message set packet_id = assigned.packet_id
    from unnest(${messages.map(({ number }) => number)}::bigint[], ${messages.map(({ packetId }) => packetId)}::int[])
      as assigned (number, packet_id)
    where message.number = assigned.number`.execute(tx)
}
