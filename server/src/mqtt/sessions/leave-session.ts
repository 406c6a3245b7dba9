/** The connection of a session has ended. */
import type { Ending } from '../connection/connection.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { keepBucket } from '../limits/rate.ts'
import { emptyOutbox } from './outbox.ts'
import type { Session } from './session.ts'
import { removeSession } from './sessions.ts'
import { SessionLostError } from './stored/stored-sessions.ts'
import { publishWillAfter } from './wills.ts'

export function leaveSession(parts: GatewayParts, session: Session, ending: Ending): void {
  const { ctx, sessions, presence } = parts
  const { account, stored, expirySeconds } = session
  const isLast = removeSession(sessions, session)
  emptyOutbox(parts, session.outbox)
  if (isLast) keepBucket(parts, session)
  ctx.liveSessions.remove(account.id, session.live)
  ctx.metrics.mqttConnections.dec()
  presence.disconnected(account.number, isLast, ending.reason, ending.message)
  publishWillAfter(parts, session)
  if (!stored) return
  parts.storedSessions.leave(stored, expirySeconds).catch((error: unknown) => {
    // The session expires as that of a crashed node does.
    if (!(error instanceof SessionLostError))
      ctx.log.warn({ err: error, device: account.id }, 'the end of a session could not be stored')
  })
  const device = sessions.byDevice.get(account.id)
  if (!device || expirySeconds === 0) return
  const subscriptions = [...session.subscriptions.values()]
  device.others.push({ number: stored.number, clientId: session.clientId, subscriptions })
  device.receivers.clear()
}
