/**
 * Parses one complete, checked packet with `mqtt-packet`. Its parsers keep state for packets that arrive in pieces; since
 * these packets are complete, all connections share one parser for each version.
 */
import { type Packet, parser } from 'mqtt-packet'
import { malformed } from './reason-codes.ts'
import type { ProtocolVersion } from '../state.ts'

export interface PacketParser {
  /** @throws PacketError */
  parse(frame: Buffer, version: ProtocolVersion): Packet
  parseConnect(frame: Buffer): Packet
}

export function createPacketParser(): PacketParser {
  const parse31 = createParse(4)
  const parse5 = createParse(5)
  return {
    parse: (frame, version) => (version === 5 ? parse5 : parse31)(frame),
    // The parser changes its version to that of each CONNECT.
    parseConnect: createParse(4),
  }
}

function createParse(protocolVersion: 4 | 5) {
  let parsed: Packet | undefined
  let failure: Error | undefined
  const create = () => {
    const packets = parser({ protocolVersion })
    packets.on('packet', (packet) => (parsed ??= packet))
    packets.on('error', (error: Error) => (failure ??= error))
    return packets
  }
  let packets = create()
  return (frame: Buffer): Packet => {
    parsed = failure = undefined
    packets.parse(frame)
    if (parsed && !failure) return parsed
    // After a failure the parser would read the next packet, of another device, from a wrong position.
    packets = create()
    throw malformed(
      `A packet is malformed: ${(failure as Error | undefined)?.message ?? 'it is incomplete'}.`,
    )
  }
}
