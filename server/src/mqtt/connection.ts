/** The state of one socket, from the first byte to the last. */
import type { Socket } from 'node:net'
import type { Client } from 'aedes'
import type { DisconnectReason, LiveSession } from '../providers/live-sessions.ts'
import type { Account } from './accounts.ts'
import type { PacketGate } from './packet-gate.ts'
import type { SentSoFar } from './sent-again.ts'
import type { OwnTopics } from './topics.ts'

export interface Connection {
  socket: Socket
  gate: PacketGate
  remoteAddress: string
  /** The request of the CONNECT packet. */
  request: ConnectRequest
  /** The session of the device, once its key has been verified. */
  session: Session | undefined
  /** Whether CONNACK was sent: from then on the device counts as online. */
  isLive: boolean
  /** The published messages so far, to detect those that may have been sent before. */
  sent: SentSoFar
  /** Whether the client changed while it signed in, so that the account that was read may be outdated. */
  isStale: boolean
  /** The reason why the connection ends; the first one is kept. */
  ending: Ending | undefined
  /** The messages that wait for their commit; `waitingBytes` is their size. */
  waitingMessages: number
  waitingBytes: number
}

export interface ConnectRequest {
  clientId: string
  clean: boolean
  will: { topic: string; payload: Buffer } | undefined
}

export interface Session {
  /** The client id, scoped by device. */
  clientId: string
  connection: Connection
  account: Account
  /** The hash of the key with which the device signed in. */
  keyHash: string | null
  topics: OwnTopics
  /** Granted subscriptions: filter and QoS. */
  filters: Map<string, number>
  live: LiveSession
}

export interface Ending {
  reason: DisconnectReason
  message: string
}

/** The broker's client, with the connection that it serves. */
export type DeviceClient = Client & { connection: Connection }

/** Closes the connection instead of an acknowledgement: MQTT 3.1.1 has no other way to refuse a packet. */
export function endConnection(connection: Connection, reason: DisconnectReason, message: string): void {
  connection.ending ??= { reason, message }
  connection.socket.destroy()
}
