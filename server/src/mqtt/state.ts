/** The state of connections and of the sessions on them. The functions of this room take it as their argument. */
import type { Duplex } from 'node:stream'
import type { DisconnectReason, LiveSession } from '../providers/live-sessions.ts'
import type { Account } from './authentication/accounts.ts'
import type { Output } from './connection/output.ts'
import type { FrameState } from './connection/read-frames.ts'
import type { ReasonCode } from './connection/reason-codes.ts'
import type { LimitName } from './limits/limit-advice.ts'
import type { RateBucket } from './limits/rate-bucket.ts'
import type { SentSoFar } from './publish/redelivery.ts'
import type { Publication, Subscription } from './sessions/publication.ts'
import type { SessionKey, SessionSummary } from './sessions/stored/stored-sessions.ts'
import type { OwnTopics } from './topics.ts'

/** Protocol levels: 3 is MQTT 3.1, 4 is 3.1.1, and 5 is 5.0. */
export type ProtocolVersion = 3 | 4 | 5

export interface Connection {
  /** TCP, TLS or WebSocket. */
  stream: Duplex
  remoteAddress: string
  /** The connections of its address, this one included. */
  address: AddressCounts
  /** Whether its address has too many connections: it is refused once its device is known. */
  isOverAddressLimit: boolean
  /** `signing_in`: CONNECT arrived and is not answered. `ended`: nothing is read or sent any more. */
  phase: 'waiting' | 'signing_in' | 'open' | 'ended'
  version: ProtocolVersion
  frames: FrameState
  output: Output
  /** The session of the device, once its key has been verified. */
  session: Session | undefined
  /** The user name of CONNECT, while the device signs in. */
  username: string | undefined
  /** Whether the client changed while it signed in, so that the account that was read may be outdated. */
  isStale: boolean
  /** The time without a packet after which the connection ends; 0 for none. */
  keepAliveMs: number
  /** Monotonic times, of `performance.now()`. */
  openedMs: number
  lastPacketMs: number
  /** Whether a packet arrived since `lastPacketMs` was set; this spares a look at the clock for each packet. */
  sawPacket: boolean
  /** The bytes that the device has taken, and when it had last taken some or nothing waited for it. */
  takenBytes: number
  takenAtMs: number
  /** Whether nothing is read at present, because this node or a limit has to wait. */
  isPaused: boolean
  /** The limit because of which nothing is read, and since when; undefined if another reason forbids it. */
  pausedBy: LimitName | undefined
  pausedMs: number
  /** The device may not be read before this monotonic time, because it sent more than its rate. */
  rateLimitedUntilMs: number
  /** Whether nothing more is read, because its listener or the gateway stops. */
  isStopping: boolean
  /** Whether the device has closed its side of the stream. */
  inputEnded: boolean
  /** The bytes of this connection in `GatewayParts.partialBytes`. */
  partialBytes: number
  /** Continues to read, if nothing else forbids it. */
  resume(): void
  inbound: Inbound
  /** The topic of the last message. */
  lastTopic: LastTopic | undefined
  /** Limits that the client set in CONNECT of MQTT 5; undefined otherwise. */
  clientLimits: ClientLimits | undefined
  /** The aliases of topics in what is sent, for MQTT 5. */
  outboundAliases: Map<string, number> | undefined
  /** The reason why the connection ends; the first one is kept. */
  ending: Ending | undefined
}

/** The connections of an address; an IPv6 address counts by its /64. */
export interface AddressCounts {
  network: string
  connections: number
  signingIn: number
}

/** The messages that the client publishes on this connection. */
export interface Inbound {
  /** The messages so far, to detect those that may have been sent before. */
  sent: SentSoFar
  /** The messages that wait for their commit, with the size of their payloads. */
  waitingMessages: number
  waitingBytes: number
  /** The acknowledgements that were not sent yet, in the order of their messages. */
  acknowledgements: Acknowledgement[]
  /** Topics by their aliases, for MQTT 5. */
  topicAliases: Map<number, string> | undefined
}

export interface Acknowledgement {
  packetId: number
  type: 'puback' | 'pubrec'
  isDue: boolean
  refusal?: { code: ReasonCode; message: string }
}

export interface LastTopic {
  /** The topic with the two bytes of its length. */
  bytes: Buffer
  name: string
}

export interface ClientLimits {
  /** How many messages with QoS 1 and 2 the client takes before it acknowledges one. */
  receiveMaximum: number
  maximumPacketSize: number
  topicAliasMaximum: number
  /** Whether the client wants reason strings on every packet. */
  wantsReasons: boolean
}

export interface Ending {
  reason: DisconnectReason
  message: string
  /** The code for MQTT 5, where the reason has none of its own. */
  code?: ReasonCode
  /** The device goes on with a newer session at another node. */
  isTakenByOtherNode?: boolean
}

export interface Session {
  /** The client id that the device chose or was assigned; it is unique within the device. */
  clientId: string
  connection: Connection
  account: Account
  /** All sessions of the device; shared by them. */
  device: DeviceSessions
  /** The hash of the key with which the device signed in; null for a certificate. */
  keyHash: string | null
  /** The certificate with which the device signed in. */
  certificate: SessionCertificate | undefined
  topics: OwnTopics
  /** By filter. */
  subscriptions: Map<string, Subscription>
  outbox: Outbox
  /** Shared by the sessions of the device on this node; undefined if there is no limit. */
  rateBucket: RateBucket | undefined
  /** Packet identifiers of messages with QoS 2 that arrived and were not released; undefined before the first one. */
  received: Set<number> | undefined
  /** Set if the session is kept after its connection ends. */
  stored: SessionKey | undefined
  /** Whether the session existed before its connection. */
  isResumed: boolean
  /** How long the session is kept. */
  expirySeconds: number
  will: Will | undefined
  live: LiveSession
}

export interface SessionCertificate {
  /** SHA-256 of its DER. */
  fingerprint: Buffer
  authorityId: string
  /** When it expires, in milliseconds since 1970. */
  endMs: number
}

export interface Outbox {
  /** The messages that the device has not taken completely, by packet identifier, in their order. */
  messages: Map<number, OutgoingMessage>
  /** The part of them that was not sent on this connection. */
  waiting: OutgoingMessage[]
  /** The payload bytes of `messages`, and of those among them that were sent. */
  bytes: number
  sentBytes: number
  lastPacketId: number
  /** The packet identifiers that are in use. */
  packetIds: Set<number>
}

export interface OutgoingMessage {
  packetId: number
  publication: Publication
  /** Subscription identifiers, for MQTT 5. */
  identifiers: number[]
  /** `released`: the device has the message of QoS 2, and PUBREL is under way. */
  state: 'waiting' | 'sent' | 'released'
  /** Whether it may have been sent on an earlier connection. */
  isRepeat: boolean
  /** The number of the stored message, if the session is kept. */
  number: number | undefined
}

export interface Will extends Publication {
  delaySeconds: number
  /** Its lifetime begins when it is published. */
  expirySeconds?: number
}

/** A will that waits for its time, or for an answer of the database. */
export interface PendingWill {
  account: Account
  will: Will
  /** Whether this node had hung when it noticed the end of the connection. */
  isLate: boolean
  /** The kept session that the device left; undefined if it ended with the connection. */
  session: SessionKey | undefined
  timer: NodeJS.Timeout | undefined
  /** When it became due, in ms since 1970; undefined before. */
  dueMs: number | undefined
}

/** The sessions of one device. */
export interface DeviceSessions {
  /** `provider_clients.number` */
  number: number
  connected: Set<Session>
  /** Kept sessions without a connection to this node. */
  others: SessionSummary[]
  /** The receivers of the topics that were published last; forgotten when a session or a subscription changes. */
  receivers: Map<string, Receivers> | undefined
  /** Resolves when the last retained message is stored: a device that subscribes afterwards gets it. */
  retaining: Promise<unknown> | undefined
}

export interface Receivers {
  connected: Session[]
  others: SessionSummary[]
}

export interface Addresses {
  byNetwork: Map<string, AddressCounts>
  /** Connections over the limit that wait for CONNECT. */
  waitingForRefusal: number
}
