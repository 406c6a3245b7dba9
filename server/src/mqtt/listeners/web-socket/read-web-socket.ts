/**
 * Reads the WebSocket frames of a client. The content of a frame goes on as it arrives and is never gathered, so that a
 * large frame costs no memory, and the limits of MQTT packets hold here as well. [RFC 6455, 5]
 */

export interface WebSocketState {
  /** The beginning of a header that is not complete. */
  partial: Buffer | undefined
  /** The frame whose content arrives. */
  frame: Frame | undefined
  /** Whether a message has begun whose last frame did not arrive yet. */
  isFragmented: boolean
}

interface Frame {
  opcode: number
  missingBytes: number
  mask: Buffer
  /** The position in the mask of the next byte. */
  maskAt: number
  /** The content of a control frame so far. */
  control: Buffer
}

export interface WebSocketHandlers {
  onData(bytes: Buffer): void
  onPing(content: Buffer): void
  /** The client closes the connection; nothing is read after it. */
  onClose(): void
}

/** The client broke the rules of WebSocket, or of MQTT over it. */
export class WebSocketError extends Error {
  /** @param code of the closing frame [RFC 6455, 7.4.1] */
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

const MAX_CONTROL_BYTES = 125
const PROTOCOL_ERROR = 1002
const UNSUPPORTED_DATA = 1003
const TOO_LARGE = 1009
const nothing = Buffer.alloc(0)

export const createWebSocketState = (): WebSocketState => ({
  partial: undefined,
  frame: undefined,
  isFragmented: false,
})

/** @param chunk is unmasked in place. @throws WebSocketError */
export function readWebSocket(state: WebSocketState, handlers: WebSocketHandlers, chunk: Buffer): void {
  let rest = state.partial ? Buffer.concat([state.partial, chunk]) : chunk
  state.partial = undefined
  for (;;) {
    if (!state.frame) {
      const headerBytes = headerLength(rest)
      if (rest.length < headerBytes) {
        // A copy of a few bytes, so that an idle connection does not hold a whole chunk.
        if (rest.length > 0) state.partial = Buffer.from(rest)
        return
      }
      state.frame = readHeader(state, rest)
      rest = rest.subarray(headerBytes)
    }
    const { frame } = state
    const content = rest.subarray(0, frame.missingBytes)
    rest = rest.subarray(content.length)
    unmask(frame, content)
    const isControl = frame.opcode >= Opcode.close
    if (isControl) frame.control = Buffer.concat([frame.control, content])
    else if (content.length > 0) handlers.onData(content)
    if (frame.missingBytes > 0) return
    state.frame = undefined
    if (frame.opcode === Opcode.close) return handlers.onClose()
    if (frame.opcode === Opcode.ping) handlers.onPing(frame.control)
  }
}

/** @returns the length of the header at the beginning of the bytes, as far as they say it */
function headerLength(bytes: Buffer): number {
  if (bytes.length < 2) return 2
  const length = bytes[1]! & 127
  return 6 + (length === 126 ? 2 : length === 127 ? 8 : 0)
}

/** @throws WebSocketError */
function readHeader(state: WebSocketState, bytes: Buffer): Frame {
  const opcode = bytes[0]! & 15
  const isFinal = bytes[0]! >= 128
  checkFlags(bytes)
  if (opcode >= Opcode.close) checkControl(opcode, isFinal, bytes[1]! & 127)
  else {
    checkData(opcode, state.isFragmented)
    state.isFragmented = !isFinal
  }
  const maskAt = headerLength(bytes) - 4
  const mask = Buffer.from(bytes.subarray(maskAt, maskAt + 4))
  return { opcode, missingBytes: readLength(bytes), mask, maskAt: 0, control: nothing }
}

function checkFlags(bytes: Buffer): void {
  if (bytes[0]! & 0x70) throw new WebSocketError(PROTOCOL_ERROR, 'A frame uses an extension.')
  if (bytes[1]! < 128) throw new WebSocketError(PROTOCOL_ERROR, 'A frame of the client is not masked.')
}

function checkControl(opcode: number, isFinal: boolean, length: number): void {
  if (opcode > Opcode.pong) throw new WebSocketError(PROTOCOL_ERROR, `The opcode ${opcode} is unknown.`)
  if (!isFinal || length > MAX_CONTROL_BYTES)
    throw new WebSocketError(PROTOCOL_ERROR, 'A control frame is divided or too long.')
}

function checkData(opcode: number, isFragmented: boolean): void {
  // [MQTT-6.0.0-1]
  if (opcode === Opcode.text)
    throw new WebSocketError(UNSUPPORTED_DATA, 'A text frame arrived. MQTT packets are in binary frames.')
  if (opcode > Opcode.binary) throw new WebSocketError(PROTOCOL_ERROR, `The opcode ${opcode} is unknown.`)
  if ((opcode === Opcode.continuation) !== isFragmented)
    throw new WebSocketError(PROTOCOL_ERROR, 'A frame does not continue the one before.')
}

/** @throws WebSocketError */
function readLength(bytes: Buffer): number {
  const length = bytes[1]! & 127
  if (length < 126) return length
  if (length === 126) return bytes.readUInt16BE(2)
  if (bytes.readUInt32BE(2) > 0) throw new WebSocketError(TOO_LARGE, 'A frame is longer than 4 GiB.')
  return bytes.readUInt32BE(6)
}

function unmask(frame: Frame, content: Buffer): void {
  const { mask } = frame
  let { maskAt } = frame
  for (let index = 0; index < content.length; index++) {
    content[index]! ^= mask[maskAt]!
    maskAt = (maskAt + 1) & 3
  }
  frame.maskAt = maskAt
  frame.missingBytes -= content.length
}
