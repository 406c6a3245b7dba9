/** Reads a given number of bytes at a time from chunks of any length. */
export interface ByteReader {
  /** @returns undefined if the source has fewer bytes left */
  read(length: number): Promise<Buffer | undefined>
  /** @returns fewer bytes at the end of the source */
  readUpTo(length: number): Promise<Buffer>
}

export function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let heldBytes = 0

  const readUpTo = async (length: number) => {
    while (heldBytes < length) {
      const { value, done } = await chunks.next()
      if (done) break
      held.push(value)
      heldBytes += value.length
    }
    const all = held.length === 1 ? held[0]! : Buffer.concat(held)
    const rest = all.subarray(length)
    held = rest.length > 0 ? [rest] : []
    heldBytes = rest.length
    return all.subarray(0, length)
  }
  return {
    readUpTo,
    read: async (length) => {
      const bytes = await readUpTo(length)
      return bytes.length < length ? undefined : bytes
    },
  }
}
