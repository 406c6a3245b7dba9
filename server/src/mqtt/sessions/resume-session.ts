/** The device is online: it receives what waits for it, and its packets are read. */
import type { GatewayParts } from '../gateway-parts.ts'
import { sendQueuedCommands } from './commands.ts'
import type { Opened } from './open-session.ts'
import { resumeOutbox } from './outbox.ts'
import type { Connection } from '../state.ts'

/** Must be called when CONNACK was written. */
export function resumeSession(
  parts: GatewayParts,
  connection: Connection,
  { session, messages }: Opened,
): void {
  connection.phase = 'open'
  parts.presence.connected(session.account.number, connection.remoteAddress)
  resumeOutbox(parts, session, messages)
  const filters = [...session.subscriptions.keys()]
  parts.sendDesired(session, filters)
  sendQueuedCommands(parts.commandQueue, session, filters)
  connection.resume()
}
