/** The device is online: it receives what waits for it, and its packets are read. */
import type { GatewayParts } from '../gateway-parts.ts'
import { sendQueuedCommands } from './commands.ts'
import { resumeOutbox } from './outbox.ts'
import { recordConnected } from './record-connected.ts'
import type { Session } from '../state.ts'

/** Must be called when CONNACK was written. */
export function resumeSession(parts: GatewayParts, session: Session): void {
  const { connection } = session
  connection.phase = 'open'
  recordConnected(parts, session)
  resumeOutbox(parts, session)
  const filters = [...session.subscriptions.keys()]
  parts.sendDesired(session, filters)
  sendQueuedCommands(parts.commandQueue, session, filters)
  connection.resume()
}
