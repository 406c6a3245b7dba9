/** Applies what other nodes did to kept sessions: they opened one, stored messages for one, or changed subscriptions. */
import { endConnection } from '../connection/end-connection.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { addStoredMessages, flushOutbox, guardStorage } from './outbox.ts'
import { setOthers } from './sessions.ts'
import { publishWillOfEvicted } from './wills.ts'
import type { LossReason, StoredSessionEvents } from './stored/stored-sessions.ts'

/** @param getParts the parts, which are not complete while the store is created */
export const syncStoredSessions = (getParts: () => GatewayParts): StoredSessionEvents => ({
  onClientChanged: (clientNumber) => void reloadOthers(getParts(), clientNumber),
  onEvicted: (clientNumber, sessionNumber) => {
    getParts().ledger.record(clientNumber, { limit: 'stored_sessions', outcome: 'dropped' })
    publishWillOfEvicted(getParts(), clientNumber, sessionNumber)
  },
  onAnyClientChanged: () => void reloadAllOthers(getParts()),
  onNewMessages: (sessionNumber) => void takeNewMessages(getParts(), sessionNumber),
  onLost: (sessionNumber, reason) => endLost(getParts(), sessionNumber, reason),
})

async function reloadOthers(parts: GatewayParts, clientNumber: number): Promise<void> {
  const deviceId = parts.sessions.deviceIds.get(clientNumber)
  if (deviceId === undefined) return
  // A failure leaves what is known; the next change or connection reads it again.
  const kept = await parts.storedSessions.list(clientNumber).catch(() => undefined)
  if (kept) setOthers(parts.sessions, deviceId, kept)
}

async function reloadAllOthers(parts: GatewayParts): Promise<void> {
  await Promise.all([...parts.sessions.deviceIds.keys()].map((number) => reloadOthers(parts, number)))
}

async function takeNewMessages(parts: GatewayParts, sessionNumber: number): Promise<void> {
  const session = parts.sessions.byStoredNumber.get(sessionNumber)
  if (!session) return
  const taken = parts.storedSessions.takeNewMessages(session.stored!, session.outbox.packetIds)
  if (!(await guardStorage(parts, session, taken))) return
  addStoredMessages(parts, session, await taken)
  flushOutbox(parts, session)
}

function endLost(parts: GatewayParts, sessionNumber: number, reason: LossReason): void {
  const session = parts.sessions.byStoredNumber.get(sessionNumber)
  if (!session) return
  endConnection(parts, session.connection, {
    reason: 'session_taken_over',
    isTakenByOtherNode: reason === 'elsewhere',
    message:
      'The device connected to another server with the same client id, or opened too many other sessions.',
  })
}
