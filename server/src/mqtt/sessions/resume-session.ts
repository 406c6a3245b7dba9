/** The device is online: it receives what waits for it, and its packets are read. */
import type { GatewayParts } from '../gateway-parts.ts'
import { describeConnection } from '../connection-events/describe-connection.ts'
import { sendQueuedCommands } from './commands.ts'
import { resumeOutbox } from './outbox.ts'
import type { Session } from '../state.ts'

/** Must be called when CONNACK was written. */
export function resumeSession(parts: GatewayParts, session: Session): void {
  const { connection } = session
  connection.phase = 'open'
  parts.presence.connected(session.account.number, connection.remoteAddress)
  parts.ctx.connectionEvents.record(session.account.number, {
    event: 'connected',
    ...describeConnection(connection),
    client_id: session.clientId,
    resumed: session.isResumed,
  })
  resumeOutbox(parts, session)
  const filters = [...session.subscriptions.keys()]
  parts.sendDesired(session, filters)
  sendQueuedCommands(parts.commandQueue, session, filters)
  connection.resume()
}
