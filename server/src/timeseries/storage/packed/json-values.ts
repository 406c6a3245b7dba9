/** Packs values that are not numbers, as JSON texts: each distinct text once, and for each value the index of its text. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createByteWriter, readUnsigned, writeUnsigned, writtenBytes } from './varint.ts'

/** @param texts JSON texts without line feeds, as `JSON.stringify` makes them */
export function packJsonValues(texts: string[]): Buffer {
  const numbers = new Map<string, number>()
  const writer = createByteWriter(texts.length + 16)
  for (const text of texts) {
    let number = numbers.get(text)
    if (number === undefined) numbers.set(text, (number = numbers.size))
    writeUnsigned(writer, number)
  }
  const words = Buffer.from([...numbers.keys()].join('\n'))
  const header = createByteWriter()
  writeUnsigned(header, writer.length)
  return deflateRawSync(Buffer.concat([writtenBytes(header), writtenBytes(writer), words]))
}

/** @param count the number of packed texts */
export function unpackJsonValues(packed: Uint8Array, count: number): string[] {
  const reader = { bytes: inflateRawSync(packed), at: 0 }
  const end = readUnsigned(reader) + reader.at
  const words = reader.bytes.toString('utf8', end).split('\n')
  const texts: string[] = []
  for (let index = 0; index < count; index++) texts.push(words[readUnsigned(reader)]!)
  return texts
}
