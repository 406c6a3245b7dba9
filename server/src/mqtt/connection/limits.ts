/** Limits of the gateway that no setting changes. [docs/mqtt#limits] */
import { PacketType } from './check-packet.ts'

/** The limit of a payload. One byte more ends the connection. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024
/** A topic and the properties of MQTT 5 have at most as many bytes as other packets; the payload is checked later. */
const MAX_PUBLISH_BYTES = MAX_PAYLOAD_BYTES + 128 * 1024
/** The limit of every other packet, including CONNECT with its will. */
const MAX_OTHER_BYTES = 64 * 1024
/** The largest packet of a client with its header, for CONNACK of MQTT 5. */
export const MAX_PACKET_BYTES = MAX_PUBLISH_BYTES + 5

/** How many messages with QoS 1 and 2 a client may send before one is acknowledged. Only MQTT 5 can say so. */
export const RECEIVE_MAXIMUM = 1000
export const TOPIC_ALIAS_MAXIMUM = 16
/** How long a session may be kept without a connection. */
export const MAX_SESSION_EXPIRY_SECONDS = 7 * 24 * 3600
/** The limit of a device's sessions with a connection. */
export const MAX_SESSIONS_OF_DEVICE = 50

/** The limit of connections that have not signed in. All devices of an installation may connect at once. */
export const MAX_SIGNING_IN = 20_000
/** The limit of the bytes of all connections that wait for their sign-in or for the rest of a packet. */
export const MAX_PARTIAL_BYTES = 128 * 1024 * 1024
export const SIGN_IN_TIMEOUT_MS = 10_000

/** Bytes that wait until the device takes them; above it nothing more is sent or read. */
export const MAX_UNSENT_BYTES = 256 * 1024
/** A device that took nothing of what waits for it for so long is disconnected. */
export const STALLED_MS = 120_000

export const maxBodyBytes = (packetType: number): number =>
  packetType === PacketType.publish ? MAX_PUBLISH_BYTES : MAX_OTHER_BYTES
