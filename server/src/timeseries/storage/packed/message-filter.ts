/**
 * A Bloom filter of the messages of a piece, in blocks: to find a late message, one block is read instead of all
 * message ids, which take eight bytes each. [docs/telemetry#packed]
 */
export const BLOCK_BYTES = 32
const BLOCK_BITS = BLOCK_BYTES * 8
/** Eight bits a message, five of them set, give about one false positive in forty. */
const BITS_A_MESSAGE = 8
const BITS_SET = 5

export function packFilter(messageIds: BigInt64Array): Buffer {
  const blocks = Math.ceil((messageIds.length * BITS_A_MESSAGE) / BLOCK_BITS)
  const filter = Buffer.alloc(blocks * BLOCK_BYTES)
  const halves = new Int32Array(messageIds.buffer, messageIds.byteOffset, messageIds.length * 2)
  for (let index = 0; index < halves.length; index += 2) {
    const hash = hashHalves(halves[index]!, halves[index + 1]!)
    const start = (hash.block % blocks) * BLOCK_BYTES
    for (let count = 0; count < BITS_SET; count++) {
      const bit = findBit(hash, count)
      filter[start + (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/** Whether the filter may contain a message. @param block the block of the message */
export function mayContain(block: Uint8Array, messageId: bigint): boolean {
  const hash = hashMessage(messageId)
  for (let count = 0; count < BITS_SET; count++) {
    const bit = findBit(hash, count)
    if ((block[bit >> 3]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

interface MessageHash {
  /** Selects the block: the block number is this value modulo the number of blocks. */
  block: number
  firstBit: number
  step: number
}

export const hashMessage = (messageId: bigint): MessageHash =>
  hashHalves(Number(BigInt.asIntN(32, messageId)), Number(BigInt.asIntN(32, messageId >> 32n)))

function hashHalves(low: number, high: number): MessageHash {
  const firstBit = mix(low ^ mix(high))
  const block = mix(firstBit ^ 0x2545f491)
  return { block, firstBit, step: mix(block ^ high) | 1 }
}

const findBit = ({ firstBit, step }: MessageHash, count: number) =>
  (firstBit + count * step) & (BLOCK_BITS - 1)

/** Distributes similar numbers evenly (murmur3). @returns 32 bits, unsigned */
function mix(number: number): number {
  let hash = number | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
