/** Reads the frames of RFC 6455 that a server uses which sends each text in one frame. */

const TEXT = 1
const PING = 9
const PONG = 10
const FINAL = 0x80
const MASKED = 0x80

interface Listeners {
  onText(text: string): void
  /** A server closes connections whose pings are not answered. */
  onPing(): void
}

/** @returns a function that receives the bytes of the connection */
export function frameReader({ onText, onPing }: Listeners): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (;;) {
      const frame = frameIn(bytes)
      if (!frame) break
      if (frame.opcode === TEXT) onText(bytes.toString('utf8', frame.start, frame.end))
      else if (frame.opcode === PING) onPing()
      bytes = bytes.subarray(frame.end)
    }
    rest = bytes
  }
}

/** @returns undefined while the frame is incomplete */
function frameIn(bytes: Buffer) {
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 0x7f
  const start = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < start) return undefined
  const length =
    short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  const end = start + length
  return bytes.length < end ? undefined : { opcode: bytes[0]! & 0x0f, start, end }
}

/** A client's: masked, with a mask that changes nothing. At most 125 bytes. */
export const textFrame = (text: string): Buffer =>
  Buffer.concat([
    Buffer.from([FINAL | TEXT, MASKED | Buffer.byteLength(text), 0, 0, 0, 0]),
    Buffer.from(text),
  ])

/** The answer to a ping without content. */
export const pongFrame = (): Buffer => Buffer.from([FINAL | PONG, MASKED, 0, 0, 0, 0])
