/** Reads what waits for sessions that a device resumes. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { type MessageRow, readMessage } from './message-rows.ts'
import { choosePacketIds } from './packet-ids.ts'
import type { OpenedSession } from './stored-sessions.ts'
import { assignPacketIds } from './take-new-messages.ts'

type Opened<R> = [R, OpenedSession]

/** Fills in messages, each with a packet identifier, and the identifiers of received messages. */
export async function loadSessions<R>(tx: Kysely<Tables>, opened: Opened<R>[]): Promise<Opened<R>[]> {
  if (opened.length === 0) return opened
  const sessions = new Map(opened.map(([, session]) => [session.key.number, session]))
  const rows = await listMessages(tx, [...sessions.keys()])
  for (const [number, messages] of groupBySession(rows)) {
    const choice = choosePacketIds(new Set(messages.flatMap((row) => row.packet_id ?? [])))
    sessions.get(number)!.messages = messages.flatMap((row) => {
      const packetId = row.packet_id ?? choice.choose()
      return packetId === undefined ? [] : [readMessage(row, packetId)]
    })
  }
  const isNew = ({ wasSent }: { wasSent: boolean }) => !wasSent
  await assignPacketIds(
    tx,
    [...sessions.values()].flatMap(({ messages }) => messages.filter(isNew)),
  )
  for (const { session_number, packet_id } of await listReceived(tx, [...sessions.keys()]))
    sessions.get(Number(session_number))!.received.push(packet_id)
  return opened
}

type SessionMessageRow = MessageRow & { session_number: string }

/** A message that may have been sent does not expire: it is sent until the device has it. [MQTT-3.3.2-5] */
async function listMessages(tx: Kysely<Tables>, sessionNumbers: number[]): Promise<SessionMessageRow[]> {
  await sql`
    delete from mqtt_session_messages
    where session_number = any(${sessionNumbers}::bigint[]) and expires_at <= now() and packet_id is null`.execute(
    tx,
  )
  const { rows } = await sql<SessionMessageRow>`
    select * from mqtt_session_messages where session_number = any(${sessionNumbers}::bigint[]) order by number`.execute(
    tx,
  )
  return rows
}

function groupBySession(rows: SessionMessageRow[]): Map<number, SessionMessageRow[]> {
  const groups = new Map<number, SessionMessageRow[]>()
  for (const row of rows) {
    const number = Number(row.session_number)
    const group = groups.get(number)
    if (group) group.push(row)
    else groups.set(number, [row])
  }
  return groups
}

async function listReceived(tx: Kysely<Tables>, sessionNumbers: number[]) {
  const { rows } = await sql<{ session_number: string; packet_id: number }>`
    select session_number, packet_id from mqtt_session_received
    where session_number = any(${sessionNumbers}::bigint[])`.execute(tx)
  return rows
}
