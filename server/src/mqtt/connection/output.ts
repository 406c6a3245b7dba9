/** Gathers the packets of one turn of the event loop, so that they leave with one write. */
import type { Duplex } from 'node:stream'

export interface Output {
  stream: Duplex
  packets: Buffer[]
  bytes: number
  /** All bytes that were written to the connection so far. */
  totalBytes: number
  /** Acknowledgements of four bytes each, behind `packets`. */
  short: Buffer | undefined
  shortLength: number
}

/** Packets up to this size are copied into one buffer; larger ones are written as they are. */
const MAX_COPIED_BYTES = 16 * 1024
const SHORT_BYTES = 1024

export const createOutput = (stream: Duplex): Output => ({
  stream,
  packets: [],
  bytes: 0,
  totalBytes: 0,
  short: undefined,
  shortLength: 0,
})

export function writePacket(output: Output, packet: Buffer): void {
  finishShort(output)
  schedule(output)
  output.bytes += packet.length
  output.totalBytes += packet.length
  output.packets.push(packet)
}

/** Writes an acknowledgement without options; thousands of them may leave in one turn. */
export function writeShort(output: Output, firstByte: number, packetId: number): void {
  schedule(output)
  if (output.shortLength + 4 > SHORT_BYTES) finishShort(output)
  output.short ??= Buffer.allocUnsafe(output.bytes === 0 ? 64 : SHORT_BYTES)
  if (output.shortLength === output.short.length) {
    const longer = Buffer.allocUnsafe(SHORT_BYTES)
    output.short.copy(longer, 0, 0, output.shortLength)
    output.short = longer
  }
  output.short.writeUInt32BE(firstByte * 0x1000000 + 0x20000 + packetId, output.shortLength)
  output.shortLength += 4
  output.bytes += 4
  output.totalBytes += 4
}

function finishShort(output: Output): void {
  if (!output.short) return
  output.packets.push(output.short.subarray(0, output.shortLength))
  output.short = undefined
  output.shortLength = 0
}

function schedule(output: Output): void {
  if (output.bytes === 0) process.nextTick(flushOutput, output)
}

export function flushOutput(output: Output): void {
  finishShort(output)
  const { stream, packets, bytes } = output
  if (packets.length === 0) return
  output.packets = []
  output.bytes = 0
  if (stream.destroyed || stream.writableEnded) return
  if (packets.length === 1) return void stream.write(packets[0])
  if (bytes <= MAX_COPIED_BYTES) return void stream.write(Buffer.concat(packets, bytes))
  stream.cork()
  for (const packet of packets) stream.write(packet)
  stream.uncork()
}

/** The bytes that the device has not taken yet. */
export const unsentBytes = ({ stream, bytes }: Output): number => stream.writableLength + bytes
