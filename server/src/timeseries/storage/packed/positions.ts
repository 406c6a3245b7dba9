/** Packs the indexes of the rows in which a series has a value. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createByteWriter, readUnsigned, writeUnsigned, writtenBytes } from './varint.ts'

/** @param positions row indexes in ascending order, without duplicates */
export function packPositions(positions: ArrayLike<number>): Buffer {
  const writer = createByteWriter(positions.length + 16)
  let next = 0
  for (let index = 0; index < positions.length; index++) {
    writeUnsigned(writer, positions[index]! - next)
    next = positions[index]! + 1
  }
  return deflateRawSync(writtenBytes(writer))
}

/** @param count the number of packed positions */
export function unpackPositions(packed: Uint8Array, count: number): Uint32Array {
  const reader = { bytes: inflateRawSync(packed), at: 0 }
  const positions = new Uint32Array(count)
  let next = 0
  for (let index = 0; index < count; index++) {
    positions[index] = next + readUnsigned(reader)
    next = positions[index]! + 1
  }
  return positions
}
