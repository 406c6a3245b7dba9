/** Gathers the packets of one turn of the event loop, so that they leave with one write. */
import type { Duplex } from 'node:stream'

export interface Output {
  stream: Duplex
  packets: Buffer[]
  bytes: number
}

/** Packets up to this size are copied into one buffer; larger ones are written as they are. */
const MAX_COPIED_BYTES = 16 * 1024

export const createOutput = (stream: Duplex): Output => ({ stream, packets: [], bytes: 0 })

export function writePacket(output: Output, packet: Buffer): void {
  output.bytes += packet.length
  if (output.packets.push(packet) === 1) process.nextTick(flushOutput, output)
}

export function flushOutput(output: Output): void {
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
