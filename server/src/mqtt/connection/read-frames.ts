/**
 * Divides the bytes of a connection into packets. The declared length of each packet is checked before its bytes arrive,
 * so that a packet that is too large costs nothing. A packet within one chunk is not copied.
 */
import { malformed } from './reason-codes.ts'

/** The part of the input that was not handled yet. */
export interface FrameState {
  /** The beginning of a packet; its buffer grows up to the length of the packet. */
  partial: Buffer | undefined
  partialLength: number
  /** The length of the packet that has begun, with its header; 0 while its header is incomplete. */
  packetLength: number
  /** Bytes that arrived while no packet could be handled. */
  held: Buffer | undefined
}

export interface FrameHandlers {
  /** Called when the header of a packet is complete. @throws PacketError if the packet is not allowed */
  onHeader(firstByte: number, bodyLength: number): void
  /** @returns whether the next packet may be handled now. @throws PacketError */
  onFrame(frame: Frame): boolean
}

/** One complete packet within the bytes that arrived. The object is used again for the next packet. */
export interface Frame {
  bytes: Buffer
  /** The positions of its header and of its body, and the one behind its end. */
  start: number
  bodyAt: number
  end: number
}

export const createFrameState = (): FrameState => ({
  partial: undefined,
  partialLength: 0,
  packetLength: 0,
  held: undefined,
})

const MAX_HEADER_BYTES = 5
const MIN_PARTIAL_BYTES = 1024

/**
 * Handles the packets that are complete. After `onFrame` returned false the rest is held; calling this without a chunk
 * continues.
 * @throws PacketError
 */
export function readFrames(state: FrameState, handlers: FrameHandlers, chunk?: Buffer): void {
  const input: Input = { bytes: joinHeld(state, chunk), at: 0 }
  const frame: Frame = { bytes: input.bytes, start: 0, bodyAt: 0, end: 0 }
  while (takeFrame(state, handlers, input, frame)) {
    if (handlers.onFrame(frame)) continue
    if (input.at < input.bytes.length) state.held = input.bytes.subarray(input.at)
    return
  }
}

interface Input {
  bytes: Buffer
  at: number
}

const nothing = Buffer.alloc(0)

function joinHeld(state: FrameState, chunk: Buffer = nothing): Buffer {
  const { held } = state
  state.held = undefined
  return held ? Buffer.concat([held, chunk]) : chunk
}

/** @returns false if no further packet is complete; then its beginning is kept */
function takeFrame(state: FrameState, handlers: FrameHandlers, input: Input, frame: Frame): boolean {
  if (state.partial) {
    if (state.packetLength > 0) return continuePartial(state, input, frame)
    // The header was incomplete: these are at most four bytes.
    input.bytes = Buffer.concat([state.partial.subarray(0, state.partialLength), input.bytes])
    clearPartial(state)
  }
  const { bytes, at } = input
  if (at >= bytes.length) return false
  const bodyLength = readBodyLength(bytes, at)
  if (bodyLength === undefined) return startPartial(state, input, 0)
  handlers.onHeader(bytes[at]!, bodyLength)
  const bodyAt = at + headerLength(bytes, at)
  const end = bodyAt + bodyLength
  if (end > bytes.length) return startPartial(state, input, end - at)
  input.at = end
  frame.bytes = bytes
  frame.start = at
  frame.bodyAt = bodyAt
  frame.end = end
  return true
}

/** @returns undefined while the header is incomplete. @throws PacketError */
function readBodyLength(bytes: Buffer, at: number): number | undefined {
  let length = 0
  for (let index = 1; index < MAX_HEADER_BYTES; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return undefined
    length |= (byte & 127) << (7 * (index - 1))
    if (byte >= 128) continue
    // [MQTT-1.5.5-1]
    if (byte === 0 && index > 1) throw malformed('The length of a packet is longer than its value needs.')
    return length
  }
  throw malformed('The length of a packet is malformed.')
}

function headerLength(bytes: Buffer, at: number): number {
  let length = 2
  while (bytes[at + length - 1]! > 127) length++
  return length
}

function startPartial(state: FrameState, input: Input, packetLength: number): false {
  const beginning = input.bytes.subarray(input.at)
  input.at = input.bytes.length
  const size =
    packetLength > 0 ? Math.min(packetLength, Math.max(beginning.length * 2, MIN_PARTIAL_BYTES)) : 4
  state.partial = Buffer.allocUnsafeSlow(size)
  state.partialLength = beginning.copy(state.partial)
  state.packetLength = packetLength
  return false
}

function clearPartial(state: FrameState): void {
  state.partial = undefined
  state.partialLength = 0
  state.packetLength = 0
}

function continuePartial(state: FrameState, input: Input, frame: Frame): boolean {
  const missing = state.packetLength - state.partialLength
  const part = input.bytes.subarray(input.at, input.at + missing)
  input.at += part.length
  append(state, part)
  if (part.length < missing) return false
  frame.bytes = state.partial!
  frame.start = 0
  frame.bodyAt = headerLength(frame.bytes, 0)
  frame.end = state.packetLength
  clearPartial(state)
  return true
}

/** Doubles the buffer where it is too small, so that neither small chunks nor a large declared length cost much. */
function append(state: FrameState, bytes: Buffer): void {
  const length = state.partialLength + bytes.length
  if (length > state.partial!.length) {
    const larger = Buffer.allocUnsafeSlow(
      Math.min(state.packetLength, Math.max(length, state.partial!.length * 2)),
    )
    state.partial!.copy(larger, 0, 0, state.partialLength)
    state.partial = larger
  }
  bytes.copy(state.partial!, state.partialLength)
  state.partialLength = length
}
