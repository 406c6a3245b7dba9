/** The WebSocket of a client: its handshake, frames around the bytes of packets, and the content of the server's frames. */
import type { Random } from './random.ts'

const HANDSHAKE =
  'GET /mqtt HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: mqtt\r\n\r\n'

/** Frames that have more than one form of their length need more bytes than these. */
const LARGE = 126
const HUGE = 65_536

/** @returns the request; rarely one with a changed byte, which is refused or arrives all the same */
export function handshake(random: Random): Buffer {
  const request = Buffer.from(HANDSHAKE)
  if (random.chance(0.05)) request[random.below(request.length)] = random.below(256)
  return request
}

/** Puts the bytes into frames at random places, with pings between them, and sometimes breaks a rule. */
export function toFrames(random: Random, bytes: Buffer): Buffer[] {
  const frames: Buffer[] = []
  let isFragmented = false
  const largest = random.pick([5, 200, 70_000])
  for (let at = 0; at < bytes.length;) {
    const content = bytes.subarray(at, at + 1 + random.below(largest))
    at += content.length
    const isFinal = at >= bytes.length || random.chance(0.6)
    frames.push(clientFrame(random, { opcode: isFragmented ? 0 : 2, isFinal, content }))
    isFragmented = !isFinal
    if (random.chance(0.05)) {
      const opcode = random.pick([9, 9, 10, 8])
      frames.push(clientFrame(random, { opcode, isFinal: true, content: random.bytes(random.below(126)) }))
    }
  }
  return random.chance(0.4)
    ? frames.map((frame) => (random.chance(0.1) ? spoil(random, frame) : frame))
    : frames
}

interface Frame {
  opcode: number
  isFinal: boolean
  content: Buffer
}

function clientFrame(random: Random, { opcode, isFinal, content }: Frame): Buffer {
  const mask = random.bytes(4)
  const masked = content.map((byte, index) => byte ^ mask[index & 3]!)
  const first = (isFinal ? 0x80 : 0) | opcode
  return Buffer.concat([Buffer.of(first), lengthOf(content.length), mask, masked])
}

function lengthOf(length: number): Buffer {
  if (length < LARGE) return Buffer.of(0x80 | length)
  if (length < HUGE) return Buffer.of(0x80 | 126, length >> 8, length & 255)
  const bytes = Buffer.alloc(9)
  bytes[0] = 0x80 | 127
  bytes.writeUInt32BE(length, 5)
  return bytes
}

/** Changes the header: flags, opcode, mask bit or length. */
function spoil(random: Random, frame: Buffer): Buffer {
  const spoiled = Buffer.from(frame)
  const place = random.below(Math.min(spoiled.length, 14))
  spoiled[place] = random.pick([
    random.below(256),
    spoiled[place]! ^ (1 << random.below(8)),
    0xff,
    0x7f,
    0xfe,
  ])
  return random.chance(0.2) ? spoiled.subarray(0, random.below(spoiled.length + 1)) : spoiled
}

/** @returns a function that takes the bytes of the server after its handshake, and returns the content of its frames */
export function createFrameReader(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const contents: Buffer[] = []
    for (;;) {
      const frame = readServerFrame(rest)
      if (!frame) return contents
      rest = rest.subarray(frame.end)
      if (frame.isData) contents.push(frame.content)
    }
  }
}

/** @returns undefined while it is incomplete */
function readServerFrame(bytes: Buffer): { isData: boolean; content: Buffer; end: number } | undefined {
  if (bytes.length < 2) return undefined
  const form = bytes[1]!
  const headerBytes = form === 127 ? 10 : form === 126 ? 4 : 2
  if (bytes.length < headerBytes) return undefined
  const length = form === 127 ? bytes.readUInt32BE(6) : form === 126 ? bytes.readUInt16BE(2) : form
  const end = headerBytes + length
  if (bytes.length < end) return undefined
  return { isData: (bytes[0]! & 15) < 8, content: bytes.subarray(headerBytes, end), end }
}

/** The answer of a client in one frame. */
export const answerFrame = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x82), lengthOf(content.length), Buffer.alloc(4), content])
