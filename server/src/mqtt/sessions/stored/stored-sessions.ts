/**
 * Sessions that outlive their connection, in PostgreSQL. A session that is kept stores each state before the packet that
 * depends on it leaves, so that a crash loses and doubles nothing. One node at a time owns a session: opening it at
 * another node makes the writes of the former one fail. [docs/mqtt#sessions]
 */
import type { Publication, Qos, Subscription } from '../publication.ts'

export interface StoredSessions extends AsyncDisposable {
  /**
   * Starts or resumes the session and makes this node its owner. Expired sessions count as absent; of more sessions of
   * the client than it may have, those that were left first are removed.
   */
  open(request: OpenRequest): Promise<OpenedSession>
  /** Removes the session, if there is one. */
  remove(clientNumber: number, clientId: string): Promise<void>
  saveSubscriptions(session: SessionKey, subscriptions: Iterable<Subscription>): Promise<void>
  /** Stores a message that will be sent with this packet identifier. @returns its number, once it is durable */
  insertMessage(session: SessionKey, publication: Publication & { packetId: number }): Promise<number>
  /** The device sent PUBREC for a message with QoS 2: from now on only its packet identifier is kept. */
  releaseMessage(session: SessionKey, messageNumber: number): Promise<void>
  /** The message is delivered. */
  deleteMessage(session: SessionKey, messageNumber: number): Promise<void>
  /** The packet identifier of a message with QoS 2 that arrived and is not released yet. */
  insertReceived(session: SessionKey, packetId: number): Promise<void>
  deleteReceived(session: SessionKey, packetId: number): Promise<void>
  /**
   * The connection ended, and the key is not valid any more. Earlier writes are still stored.
   * @param expirySeconds 0 removes the session
   */
  leave(session: SessionKey, expirySeconds: number): Promise<void>

  /** Whether the device has resumed the session since it left it, here or at another node. */
  wasResumed(session: SessionKey): Promise<boolean>

  /** The kept sessions of a client, wherever they are connected. */
  list(clientNumber: number): Promise<SessionSummary[]>
  /**
   * Stores a message for sessions that are not connected to this node; their nodes are notified. Sessions that are gone
   * are left out. With `received` the identifier of the message is stored in the same transaction, so that after a crash
   * its repeat is not a new message. @returns the oldest unsent messages that were dropped to stay within the limits of a session
   */
  insertForOthers(
    receivers: Receiver[],
    publication: Publication,
    received?: ReceivedMessage,
  ): Promise<DroppedMessages[]>
  /**
   * The messages that others stored for the session since it was opened, with their packet identifiers assigned.
   * @param usedPacketIds the live set: identifiers are chosen some time after this call, and added to it in the same turn
   * of the event loop
   */
  takeNewMessages(session: SessionKey, usedPacketIds: Set<number>): Promise<StoredMessage[]>

  /** @returns whether it is stored: false where the client would have too many retained messages. An empty payload deletes. */
  putRetained(clientNumber: number, publication: Publication): Promise<boolean>
  listRetained(clientNumber: number): Promise<Publication[]>
}

/** A session that receives a message, with the QoS for it. */
export interface Receiver {
  number: number
  qos: Qos
}

/** A message with QoS 2 that arrived from this session. */
export interface ReceivedMessage {
  session: SessionKey
  packetId: number
}

export interface SessionKey {
  number: number
  /** Grows with each opening. Writes of a former owner fail with `SessionLostError`. */
  generation: number
}

export interface OpenRequest {
  clientNumber: number
  clientId: string
  /** Whether an existing session is discarded first. */
  cleanStart: boolean
  /** How long the session is kept after its node crashed. */
  expirySeconds: number
}

export interface OpenedSession {
  key: SessionKey
  /** Whether the session existed. */
  isResumed: boolean
  subscriptions: Subscription[]
  /** In the order in which they were stored; each has its packet identifier. */
  messages: StoredMessage[]
  /** Packet identifiers of messages with QoS 2 that arrived and were not released. */
  received: number[]
}

export interface StoredMessage extends Publication {
  number: number
  packetId: number
  /** The device acknowledged the receipt of this message with QoS 2: PUBREL is due, and the payload is gone. */
  isReleased: boolean
  /** Whether it may have been sent before: then it is sent again with DUP. */
  wasSent: boolean
}

export interface DroppedMessages {
  sessionNumber: number
  count: number
}

export interface SessionSummary {
  number: number
  clientId: string
  subscriptions: Subscription[]
}

/** Another node owns the session now, or it was removed, possibly with its client. */
export class SessionLostError extends Error {
  override name = 'SessionLostError'
}

/** Another node or expiry caused these events. Events of a session follow the answer to its opening. */
/** `elsewhere`: opened or removed at another node; `evicted`: removed at this one, because its client opened too many others. */
export type LossReason = 'elsewhere' | 'evicted'

export interface StoredSessionEvents {
  /** The kept sessions of the client, their subscriptions or its retained messages changed. */
  onClientChanged(clientNumber: number): void
  /** A session of the client was removed, because the client opened too many others at this node. */
  onEvicted(clientNumber: number, sessionNumber: number): void
  /** Any client may have changed, since messages of other nodes may be lost. */
  onAnyClientChanged(): void
  /** Messages were stored for this session, which this node owns: `takeNewMessages` reads them. */
  onNewMessages(sessionNumber: number): void
  /**
   * The session, which this node owned, was opened or removed at another node, or removed at this one because its client
   * opened too many others.
   */
  onLost(sessionNumber: number, reason: LossReason): void
}
