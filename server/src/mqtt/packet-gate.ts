/**
 * The gate stands between a socket and the broker's parser, which has no limits of its own: it would buffer a packet of
 * any declared length. The gate checks the length of every packet first, in the bytes as they are read, so that a
 * malformed or oversized one costs nothing. It also holds bytes back while the broker or the database is behind.
 * [docs/mqtt#limits]
 */
import type { Socket } from 'node:net'

/** The limit of a payload. One byte more closes the connection. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024
/** A topic has up to 65,535 bytes; its length and the packet identifier have two each. The payload is checked later. */
const MAX_PUBLISH_BYTES = MAX_PAYLOAD_BYTES + 65_535 + 4
/** The limit of every other packet, including CONNECT with its will. */
const MAX_OTHER_BYTES = 64 * 1024

const CONNECT = 1
const PUBLISH = 3
const DISCONNECT = 14

type GateBreach = 'message_too_large' | 'protocol_error'

export interface PacketGate {
  /** Lets the packets after CONNECT through. */
  open(): void
  /** Makes the broker read again, after `mayRead` returned false. */
  wake(): void
  /** Whether the device has sent DISCONNECT, so that the end of its connection is no failure. */
  readonly sawDisconnect: boolean
}

export interface GateOptions {
  /** Called before each read once the gate is open. After it returns false, `wake` must be called later. */
  mayRead(): boolean
  /** Called once; nothing is read after it. */
  onBreach(breach: GateBreach, message: string): void
}

export function createPacketGate(socket: Socket, { mayRead, onBreach }: GateOptions): PacketGate {
  let state: 'waiting' | 'signing_in' | 'open' | 'closed' = 'waiting'
  let sawDisconnect = false
  let packetType = 0
  /** Bytes of the header seen; 0 between packets and within a packet's body. */
  let headerBytes = 0
  let length = 0
  let bodyBytesLeft = 0
  const readSocket = socket.read.bind(socket)

  const breach = (kind: GateBreach, message: string) => {
    state = 'closed'
    onBreach(kind, message)
  }

  /** @returns how many bytes of the chunk belong to packets that may pass now */
  const inspect = (chunk: Buffer): number => {
    let at = 0
    while (at < chunk.length) {
      if (bodyBytesLeft > 0) {
        const step = Math.min(bodyBytesLeft, chunk.length - at)
        at += step
        bodyBytesLeft -= step
      } else if (!header(chunk[at++]!)) return 0
      if (state === 'waiting' && headerBytes === 0 && bodyBytesLeft === 0) {
        state = 'signing_in'
        return at
      }
    }
    return at
  }

  const header = (byte: number): boolean => {
    if (headerBytes === 0) {
      packetType = byte >> 4
      headerBytes = 1
      length = 0
      if (state === 'waiting' && packetType !== CONNECT)
        return fail('protocol_error', 'The first packet was not CONNECT.')
      return true
    }
    length |= (byte & 127) << (7 * (headerBytes - 1))
    headerBytes++
    if (byte > 127) return headerBytes <= 4 || fail('protocol_error', 'A packet had a malformed length.')
    headerBytes = 0
    bodyBytesLeft = length
    if (packetType === DISCONNECT) sawDisconnect = true
    const limit = packetType === PUBLISH ? MAX_PUBLISH_BYTES : MAX_OTHER_BYTES
    return (
      length <= limit ||
      fail('message_too_large', `A packet of ${length} bytes is over the limit of ${limit}.`)
    )
  }

  const fail = (kind: GateBreach, message: string): false => {
    breach(kind, message)
    return false
  }

  // The broker reads whenever data is available, and understands null as "later".
  socket.read = (size?: number) => {
    if (size === 0) return readSocket(0)
    if (state === 'signing_in' || state === 'closed' || (state === 'open' && !mayRead())) return null
    const chunk = readSocket(size) as Buffer | null
    if (chunk === null) return null
    const passing = inspect(chunk)
    if (passing < chunk.length && passing > 0) socket.unshift(chunk.subarray(passing))
    return passing === chunk.length ? chunk : passing > 0 ? chunk.subarray(0, passing) : null
  }

  return {
    open() {
      if (state === 'signing_in') state = 'open'
    },
    wake: () => void socket.emit('readable'),
    get sawDisconnect() {
      return sawDisconnect
    },
  }
}
