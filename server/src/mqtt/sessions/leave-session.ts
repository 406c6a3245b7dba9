/** The connection of a session has ended. */
import type { GatewayParts } from '../gateway-parts.ts'
import { keepBucket } from '../limits/rate.ts'
import { emptyOutbox } from './outbox.ts'
import { removeSession } from './sessions.ts'
import { SessionLostError } from './stored/stored-sessions.ts'
import { publishWillAfter } from './wills.ts'
import type { Ending, Session } from '../state.ts'

export function leaveSession(parts: GatewayParts, session: Session, ending: Ending): void {
  const { ctx, sessions, presence } = parts
  const { account, stored } = session
  const isLast = removeSession(sessions, session)
  emptyOutbox(parts, session.outbox)
  if (isLast) keepBucket(parts, session)
  ctx.liveSessions.remove(account.id, session.live)
  ctx.metrics.mqttConnections.dec()
  presence.disconnected(account.number, isLast, ending.reason, ending.message)
  ctx.connectionEvents.record(account.number, {
    event: 'disconnected',
    reason: ending.reason,
    message: ending.message,
    address: session.connection.remoteAddress,
    client_id: session.clientId,
  })
  if (stored) leaveStored(parts, session)
  publishWillAfter(parts, session, ending)
}

function leaveStored({ ctx, storedSessions }: GatewayParts, session: Session): void {
  const { account, clientId, device, expirySeconds } = session
  const { number } = session.stored!
  storedSessions.leave(session.stored!, expirySeconds).catch((error: unknown) => {
    // The session expires as that of a crashed node does.
    if (!(error instanceof SessionLostError))
      ctx.log.warn({ err: error, device: account.id }, 'the end of a session could not be stored')
  })
  if (expirySeconds === 0) return
  device.others.push({ number, clientId, subscriptions: [...session.subscriptions.values()] })
  device.receivers = undefined
}
