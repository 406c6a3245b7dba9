/** Limits of the gateway that no setting changes. [docs/mqtt#limits] */
import { PacketType } from './check-packet.ts'

/** The limit of a payload. One byte more ends the connection. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024
/** A topic and the properties of MQTT 5 have at most as many bytes as other packets; the payload is checked later. */
const MAX_PUBLISH_BYTES = MAX_PAYLOAD_BYTES + 128 * 1024
/** The limit of every other packet, including CONNECT with its will. */
export const MAX_OTHER_BYTES = 64 * 1024
/** The largest packet of a client with its header, for CONNACK of MQTT 5. */
export const MAX_PACKET_BYTES = MAX_PUBLISH_BYTES + 5

/** How many messages with QoS 1 and 2 a client may send before one is acknowledged. Only MQTT 5 can say so. */
export const RECEIVE_MAXIMUM = 1000
export const TOPIC_ALIAS_MAXIMUM = 16
/** How long a session may be kept without a connection. */
export const MAX_SESSION_EXPIRY_SECONDS = 7 * 24 * 3600
/** The limit of a device's sessions that are kept. */
export const MAX_STORED_SESSIONS_OF_DEVICE = 10
/** The limits of a device's retained messages. */
export const MAX_RETAINED_MESSAGES = 100
export const MAX_RETAINED_BYTES = 1024 * 1024
/** The limit of a device's sessions with a connection. */
export const MAX_SESSIONS_OF_DEVICE = 50

/** The limits of the messages that wait for one session. */
export const MAX_QUEUED_MESSAGES = 100
export const MAX_QUEUED_BYTES = 1024 * 1024

/** The limits of all connections to a server together. Tests use smaller ones. */
export interface ServerLimits {
  /** Connections that have not signed in. All devices of an installation may connect at once. */
  signIns: number
  /** The same of one address, so that it cannot keep out all others. */
  signInsOfAddress: number
  /** Bytes that wait for a sign-in or for the rest of a packet. */
  partialBytes: number
  /** Messages that wait for their commit, and the bytes of their payloads. */
  uncommittedMessages: number
  uncommittedBytes: number
  /** Payload bytes that wait for all sessions with a connection to this node. */
  queuedBytes: number
}

export const serverLimits: ServerLimits = {
  signIns: 20_000,
  signInsOfAddress: 10_000,
  partialBytes: 128 * 1024 * 1024,
  uncommittedMessages: 20_000,
  uncommittedBytes: 64 * 1024 * 1024,
  queuedBytes: 128 * 1024 * 1024,
}

export const SIGN_IN_TIMEOUT_MS = 10_000

/** Bytes that wait until the device takes them; above it nothing more is sent or read. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** A device that took nothing of what waits for it for so long is disconnected. */
export const STALLED_MS = 120_000

export const maxBodyBytes = (packetType: number): number =>
  packetType === PacketType.publish ? MAX_PUBLISH_BYTES : MAX_OTHER_BYTES
