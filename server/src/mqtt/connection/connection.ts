/** The state of one connection, from its first byte to its last. */
import type { Duplex } from 'node:stream'
import type { DisconnectReason } from '../../providers/live-sessions.ts'
import type { SentSoFar } from '../publish/redelivery.ts'
import type { Session } from '../sessions/session.ts'
import type { Acknowledgement } from '../publish/acknowledge.ts'
import type { Output } from './output.ts'
import type { LastTopic } from './read-publish.ts'
import type { ProtocolVersion } from './protocol-version.ts'
import type { FrameState } from './read-frames.ts'
import type { ReasonCode } from './reason-codes.ts'

export interface Connection {
  /** TCP, TLS or WebSocket. */
  stream: Duplex
  remoteAddress: string
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
  /** When the device had last taken everything that was sent to it. */
  unsentSinceMs: number
  /** Whether nothing is read at present, because this node or a limit has to wait. */
  isPaused: boolean
  /** The device may not be read before this monotonic time, because it sent more than its rate. */
  rateLimitedUntilMs: number
  /** Whether nothing more is read, because its listener stops. */
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
}
