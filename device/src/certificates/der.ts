/** The part of DER (Distinguished Encoding Rules) that certificate requests and EST answers need. */
export interface DerElement {
  tag: number
  contents: Buffer
  /** Tag, length and contents. */
  encoded: Buffer
}

export const INTEGER = 0x02
export const BIT_STRING = 0x03
export const OBJECT_ID = 0x06
export const UTF8_STRING = 0x0c
export const SEQUENCE = 0x30
export const SET = 0x31
export const CONTEXT_0 = 0xa0

export function encodeDer(tag: number, ...contents: Uint8Array[]): Buffer {
  const bytes = contents.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return Buffer.concat([Buffer.of(tag), encodeLength(bytes), ...contents])
}

function encodeLength(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes)
  const hex = bytes.toString(16)
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.of(0x80 | length.length), length])
}

/** Reads the elements that follow each other in `encoded`. Throws for indefinite lengths and truncated elements. */
export function readDer(encoded: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let rest = encoded; rest.length > 0;) {
    const { start, end } = readLength(rest)
    if (end > rest.length) throw new Error('a DER element is truncated')
    elements.push({
      tag: rest[0]!,
      contents: rest.subarray(start, end),
      encoded: rest.subarray(0, end),
    })
    rest = rest.subarray(end)
  }
  return elements
}

/** @returns where the contents of the first element start and end */
function readLength(encoded: Buffer): { start: number; end: number } {
  const first = encoded[1]
  if (first === undefined) throw new Error('a DER element is truncated')
  if (first < 0x80) return { start: 2, end: 2 + first }
  const count = first & 0x7f
  if (count === 0 || count > 4 || encoded.length < 2 + count) throw new Error('a DER length cannot be read')
  return { start: 2 + count, end: 2 + count + encoded.readUIntBE(2, count) }
}
