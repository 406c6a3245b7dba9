/** One socket, from the first byte to the last. */
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
  /** What CONNECT asked for. */
  request: ConnectRequest
  /** Whose it is, once the key was right. */
  session: Session | undefined
  /** CONNACK was sent: the device counts as online. */
  isLive: boolean
  /** What it published, to tell what it may have sent before. */
  sent: SentSoFar
  /** The client changed while it signed in, so that what was read of it may be old. */
  isStale: boolean
  /** Why it ends; the first reason stands. */
  ending: Ending | undefined
  /** Messages that wait for their commit, and their bytes. */
  waitingMessages: number
  waitingBytes: number
}

export interface ConnectRequest {
  clientId: string
  clean: boolean
  will: { topic: string; payload: Buffer } | undefined
}

export interface Session {
  /** Scoped by device. */
  clientId: string
  connection: Connection
  account: Account
  /** Of the key that it signed in with. */
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

/** The packet that gets no acknowledgement goes with its connection: MQTT 3.1.1 has no other way to say no. */
export function endConnection(connection: Connection, reason: DisconnectReason, message: string): void {
  connection.ending ??= { reason, message }
  connection.socket.destroy()
}
