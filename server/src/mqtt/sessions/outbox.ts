/**
 * The messages with QoS 1 and 2 on their way to one device. A message waits until the device takes it: until it has
 * acknowledged enough of those before (its receive maximum) and has read what was written to its socket. What a kept
 * session sends is stored first. [docs/mqtt#sessions]
 */
import type { GatewayParts } from '../gateway-parts.ts'
import { takenOverElsewhere } from '../connection/disconnect-reason.ts'
import { endConnection } from '../connection/end-connection.ts'
import { MAX_QUEUED_BYTES, MAX_QUEUED_MESSAGES, MAX_UNSENT_BYTES } from '../connection/limits.ts'
import { unsentBytes } from '../connection/output.ts'
import { sendAcknowledgement } from '../connection/protocol-version.ts'
import type { LimitName } from '../limits/limit-advice.ts'
import { matchSubscriptions } from './match-subscriptions.ts'
import type { Publication } from './publication.ts'
import { recordDrop, sendPublication } from './send-publication.ts'
import { SessionLostError, type StoredMessage } from './stored/stored-sessions.ts'
import type { Outbox, OutgoingMessage, Session } from '../state.ts'

/** How many messages are sent before the device acknowledges one: where it cannot say how many it takes, and at most. */
const DEFAULT_RECEIVE_MAXIMUM = 100
const MAX_RECEIVE_MAXIMUM = 1000

export const createOutbox = (): Outbox => ({
  messages: new Map(),
  waiting: [],
  bytes: 0,
  sentBytes: 0,
  lastPacketId: 0,
  packetIds: new Set(),
})

/**
 * Adds a message, and sends it as soon as the device takes it. Where the session has too many, those that have waited
 * longest are dropped, and recorded.
 * @returns for a kept session: resolves once the message is durable, and rejects if it is not
 */
export function enqueue(
  parts: GatewayParts,
  session: Session,
  publication: Publication,
  identifiers: number[] = [],
): Promise<void> | undefined {
  const { outbox, stored, connection } = session
  if (connection.phase === 'ended') return stored && storeForLater(parts, session, publication)
  const message: OutgoingMessage = {
    packetId: nextPacketId(outbox),
    // A copy, since the payload is a part of all that arrived with it.
    publication: { ...publication, payload: Buffer.from(publication.payload) },
    identifiers,
    state: 'waiting',
    isRepeat: false,
    number: undefined,
  }
  makeRoom(parts, session, publication.payload.length)
  // The outboxes of all are full: only the database still has room.
  if (parts.outboxBytes + publication.payload.length > parts.limits.queuedBytes && outbox.messages.size > 0) {
    if (stored) return storeForLater(parts, session, publication)
    return recordDrop(parts, session, publication, 'queued_bytes_of_all')
  }
  addToOutbox(parts, outbox, message)
  if (!stored) {
    outbox.waiting.push(message)
    flushOutbox(parts, session)
    return undefined
  }
  return storeMessage(parts, session, message)
}

/** Adds messages of a kept session that were not delivered on its former connection, or that others stored for it. */
export function addStoredMessages(parts: GatewayParts, session: Session, messages: StoredMessage[]): void {
  const { outbox } = session
  // The connection may have ended while they were read: they wait for the next one.
  if (session.connection.phase === 'ended') return
  for (const { number, packetId, isReleased, wasSent, ...publication } of messages) {
    const message: OutgoingMessage = {
      packetId,
      publication,
      // The subscriptions may have changed meanwhile.
      identifiers: matchSubscriptions(session, publication.topic)?.identifiers ?? [],
      state: isReleased ? 'released' : 'waiting',
      isRepeat: wasSent,
      number,
    }
    addToOutbox(parts, outbox, message)
    outbox.lastPacketId = packetId
    if (!isReleased) outbox.waiting.push(message)
  }
}

/** Continues where the former connection ended. Must be called when CONNACK was written. */
export function resumeOutbox(parts: GatewayParts, session: Session): void {
  for (const { state, packetId } of session.outbox.messages.values())
    if (state === 'released') sendAcknowledgement(session.connection, 'pubrel', packetId)
  flushOutbox(parts, session)
}

/** Sends waiting messages, as many as the device takes. */
export function flushOutbox(parts: GatewayParts, session: Session): void {
  const { connection, outbox } = session
  if (connection.phase !== 'open') return
  while (outbox.waiting.length > 0 && mayStartNext(session)) {
    const message = outbox.waiting.shift()!
    const { publication, packetId, identifiers, isRepeat } = message
    message.state = 'sent'
    outbox.sentBytes += publication.payload.length
    if (!sendPublication(parts, session, publication, { packetId, identifiers, isRepeat }))
      void forget(parts, session, message)
  }
}

/** A device that acknowledges nothing holds a bounded number of messages and bytes; one message is always sent. */
function mayStartNext({ connection, outbox }: Session): boolean {
  const { receiveMaximum = DEFAULT_RECEIVE_MAXIMUM } = connection.clientLimits ?? {}
  const sent = outbox.messages.size - outbox.waiting.length
  return (
    sent < Math.min(receiveMaximum, MAX_RECEIVE_MAXIMUM) &&
    (sent === 0 || outbox.sentBytes < MAX_QUEUED_BYTES) &&
    unsentBytes(connection.output) <= MAX_UNSENT_BYTES
  )
}

/** The device has the message, or never will. @returns resolves once that is durable */
export async function forget(parts: GatewayParts, session: Session, message: OutgoingMessage): Promise<void> {
  removeFromOutbox(parts, session.outbox, message)
  if (message.number !== undefined)
    await guardStorage(parts, session, parts.storedSessions.deleteMessage(session.stored!, message.number))
}

/** The messages go with their session. */
export function emptyOutbox(parts: GatewayParts, outbox: Outbox): void {
  parts.outboxBytes -= outbox.bytes
  outbox.messages.clear()
  outbox.waiting = []
  outbox.bytes = outbox.sentBytes = 0
}

/** Ends a connection whose session cannot be stored any more; the device comes back to what was stored. */
export async function guardStorage(
  parts: GatewayParts,
  session: Session,
  stored: Promise<unknown>,
): Promise<boolean> {
  try {
    await stored
    return true
  } catch (error) {
    const isLost = error instanceof SessionLostError
    if (!isLost)
      parts.ctx.log.warn({ err: error, device: session.account.id }, 'a session could not be stored')
    endConnection(
      parts,
      session.connection,
      isLost
        ? takenOverElsewhere
        : { reason: 'storage_unavailable', message: 'The session could not be stored. Connect again.' },
    )
    return false
  }
}

async function storeMessage(parts: GatewayParts, session: Session, message: OutgoingMessage): Promise<void> {
  const { packetId, publication } = message
  try {
    message.number = await parts.storedSessions.insertMessage(session.stored!, { ...publication, packetId })
  } catch (error) {
    // It would count as one that was sent, for as long as the connection lasts.
    if (session.outbox.messages.get(packetId) === message) removeFromOutbox(parts, session.outbox, message)
    // The device has connected elsewhere, or left: the message waits for its session there.
    if (error instanceof SessionLostError) return storeForLater(parts, session, publication)
    throw error
  }
  // Where the session has left meanwhile, the message is sent on its next connection.
  if (session.outbox.messages.get(packetId) !== message) return
  session.outbox.waiting.push(message)
  flushOutbox(parts, session)
}

async function storeForLater(
  { storedSessions, ledger }: GatewayParts,
  { stored, account }: Session,
  publication: Publication,
): Promise<void> {
  const dropped = await storedSessions.insertForOthers(
    [{ number: stored!.number, qos: publication.qos }],
    publication,
  )
  const { topic } = publication
  for (const { count } of dropped)
    ledger.record(account.number, { limit: 'queued_messages', outcome: 'dropped', count, topic })
}

function addToOutbox(parts: GatewayParts, outbox: Outbox, message: OutgoingMessage): void {
  const bytes = message.publication.payload.length
  outbox.messages.set(message.packetId, message)
  outbox.packetIds.add(message.packetId)
  outbox.bytes += bytes
  parts.outboxBytes += bytes
}

function removeFromOutbox(parts: GatewayParts, outbox: Outbox, message: OutgoingMessage): void {
  if (!outbox.messages.delete(message.packetId)) return
  outbox.packetIds.delete(message.packetId)
  const bytes = message.publication.payload.length
  outbox.bytes -= bytes
  parts.outboxBytes -= bytes
  if (message.state !== 'waiting') outbox.sentBytes -= bytes
}

function makeRoom(parts: GatewayParts, session: Session, bytes: number): void {
  const { outbox } = session
  while (outbox.waiting.length > 0) {
    const limit = findFullLimit(parts, outbox, bytes)
    if (!limit) return
    const message = outbox.waiting.shift()!
    recordDrop(parts, session, message.publication, limit)
    void forget(parts, session, message)
  }
}

function findFullLimit(parts: GatewayParts, outbox: Outbox, bytes: number): LimitName | undefined {
  if (outbox.waiting.length >= MAX_QUEUED_MESSAGES) return 'queued_messages'
  if (outbox.bytes + bytes > MAX_QUEUED_BYTES) return 'queued_bytes'
  return parts.outboxBytes + bytes > parts.limits.queuedBytes ? 'queued_bytes_of_all' : undefined
}

function nextPacketId(outbox: Outbox): number {
  do outbox.lastPacketId = (outbox.lastPacketId % 65_535) + 1
  while (outbox.packetIds.has(outbox.lastPacketId))
  return outbox.lastPacketId
}
