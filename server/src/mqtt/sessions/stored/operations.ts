/** Writes to sessions that wait for their batch. */
import type { Publication, Subscription } from '../publication.ts'
import type { Receiver, ReceivedMessage, SessionKey } from './stored-sessions.ts'

/** Writes of the node that owns the session. */
export type OwnerOperation = { session: SessionKey } & (
  | { kind: 'saveSubscriptions'; subscriptions: Subscription[] }
  | { kind: 'insertMessage'; publication: Publication; packetId: number }
  | { kind: 'releaseMessage'; messageNumber: number }
  | { kind: 'deleteMessage'; messageNumber: number }
  | { kind: 'insertReceived'; packetId: number }
  | { kind: 'deleteReceived'; packetId: number }
  | { kind: 'takeNewMessages'; packetIds: PacketIdChoice }
  | { kind: 'reclaim' }
  | { kind: 'leave'; expirySeconds: number }
)

/** Any node stores messages for sessions that are not connected to it. */
export interface InsertForOthers {
  kind: 'insertForOthers'
  receivers: Receiver[]
  publication: Publication
  received: ReceivedMessage | undefined
}

export type Operation = OwnerOperation | InsertForOthers

export interface PacketIdChoice {
  /** Chooses an unused packet identifier and marks it as used. @returns undefined where all are in use */
  choose(): number | undefined
  /** Makes what was chosen unused again, because it was not stored. */
  revert(): void
}

export type OperationOfKind<K extends Operation['kind']> = Extract<Operation, { kind: K }>

export const listSessionNumbers = (operation: Operation): number[] =>
  operation.kind === 'insertForOthers'
    ? operation.receivers.map(({ number }) => number)
    : [operation.session.number]

/** All sessions whose rows the operation needs. */
export const listLockedSessions = (operation: Operation): number[] =>
  operation.kind === 'insertForOthers' && operation.received
    ? [operation.received.session.number, ...listSessionNumbers(operation)]
    : listSessionNumbers(operation)

/** About how much it sends to the database. */
export const countBytes = (operation: Operation): number =>
  100 + ('publication' in operation ? operation.publication.payload.length : 0)
