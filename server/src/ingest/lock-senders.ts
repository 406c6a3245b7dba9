/**
 * Holds on to the sessions that messages came from, until the commit: while they are locked, no other node opens them. A node
 * does so where it may hold messages that their devices have sent to another node since: see `mayHaveMoved`.
 * [docs/operating#sessions-and-presence]
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { DeviceMessage, SenderSession } from './message.ts'

/** The devices of some messages have opened their sessions again, and send the messages again there. */
export class SendersMovedError extends Error {
  override name = 'SendersMovedError'
  constructor(readonly moved: ReadonlySet<string>) {
    super('The device has connected again, and sends the message again.')
  }
}

/** @returns the name of the opening of the session that the message came from; undefined where the session is not stored */
export const nameSender = ({ sender }: DeviceMessage): string | undefined => sender && nameOpening(sender)

const nameOpening = ({ number, generation }: SenderSession) => `${number}/${generation}`

/** Must be called before the rows of devices and alarms are locked. @throws SendersMovedError */
export async function lockSenders(tx: Kysely<Tables>, messages: DeviceMessage[]): Promise<void> {
  const senders = new Map<string, SenderSession>()
  for (const { sender } of messages) if (sender) senders.set(nameOpening(sender), sender)
  if (senders.size === 0) return
  const openings = [...senders.values()]
  const { rows } = await sql<{ number: string; generation: number }>`
    select number, generation from mqtt_sessions
    where (number, generation) in (select * from unnest(
      ${openings.map(({ number }) => number)}::bigint[], ${openings.map(({ generation }) => generation)}::int[]))
    order by number for key share`.execute(tx)
  for (const { number, generation } of rows)
    senders.delete(nameOpening({ number: Number(number), generation }))
  if (senders.size > 0) throw new SendersMovedError(new Set(senders.keys()))
}
