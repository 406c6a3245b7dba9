/** The field types of MQTT: integers, variable byte integers, and texts with their length. [MQTT 5.0, 1.5] */

/** A text, or the bytes of one that may be ill-formed. */
export type Text = string | Buffer

export interface Cursor {
  bytes: Buffer
  at: number
}

export const textBytes = (text: Text): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

export function varintBytes(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return Buffer.from(bytes)
}

export function readNumber(cursor: Cursor, bytes: 1 | 2 | 4): number {
  const value = cursor.bytes.readUIntBE(cursor.at, bytes)
  cursor.at += bytes
  return value
}

/** Throws where the integer has more bytes than it needs. */
export function readVarint(cursor: Cursor): number {
  let value = 0
  for (let count = 0; count < 4; count++) {
    const byte = readNumber(cursor, 1)
    value += (byte & 0x7f) * 128 ** count
    if (byte & 0x80) continue
    if (count > 0 && byte === 0) throw new Error('a variable byte integer is longer than it needs to be')
    return value
  }
  throw new Error('a variable byte integer has more than four bytes')
}

export function readText(cursor: Cursor): Buffer {
  const length = readNumber(cursor, 2)
  if (cursor.at + length > cursor.bytes.length) throw new Error('a text is longer than its packet')
  const bytes = cursor.bytes.subarray(cursor.at, cursor.at + length)
  cursor.at += length
  return Buffer.from(bytes)
}
