/** The packets of the fleet. Telemetry is encoded by hand, so that the load generator is not the bottleneck. */
import { generate } from 'mqtt-packet'

export const CONNACK = 2
export const PUBLISH = 3
export const PUBACK = 4

export interface SessionOptions {
  /** The device id where absent. */
  clientId?: string
  /** Whether the session is kept after its connection ends. */
  isKept?: boolean
}

export const connectPacket = (
  deviceId: string,
  key: string,
  { clientId = deviceId, isKept = false }: SessionOptions = {},
): Buffer =>
  generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: !isKept,
    clientId,
    keepalive: 600,
    username: deviceId,
    password: Buffer.from(key),
  })

/** Without user name and password: the certificate says who it is. */
export const certificateConnectPacket = (clientId: string): Buffer =>
  generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    clientId,
    keepalive: 600,
  })

export const subscribePacket = (topic: string, qos: 0 | 1): Buffer =>
  generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos }] })

/** QoS 1. */
export function publishPacket(topic: string, messageId: number, payload: string): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const length = 2 + topicBytes + 2 + Buffer.byteLength(payload)
  const lengthBytes = length < 128 ? 1 : 2
  const packet = Buffer.allocUnsafe(1 + lengthBytes + length)
  packet[0] = (PUBLISH << 4) | 2
  if (lengthBytes === 1) packet[1] = length
  else packet.writeUInt16BE((((length & 127) | 128) << 8) | (length >> 7), 1)
  let at = packet.writeUInt16BE(topicBytes, 1 + lengthBytes)
  at += packet.write(topic, at)
  at = packet.writeUInt16BE(messageId, at)
  packet.write(payload, at)
  return packet
}

/** @param onPacket receives the type, the bytes, and the offset of the body */
export function createPacketSplitter(onPacket: (type: number, bytes: Buffer, bodyAt: number) => void) {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    for (let end = endOfPacket(bytes, at); end !== undefined; end = endOfPacket(bytes, at)) {
      onPacket(bytes[at]! >> 4, bytes, end.bodyAt)
      at = end.at
    }
    rest = bytes.subarray(at)
  }
}

/** @returns undefined while the packet is incomplete */
function endOfPacket(bytes: Buffer, at: number) {
  let length = 0
  for (let byte = 1, shift = 0; at + byte < bytes.length; byte++, shift += 7) {
    const value = bytes[at + byte]!
    length |= (value & 127) << shift
    if (value > 127) continue
    const bodyAt = at + byte + 1
    return bodyAt + length <= bytes.length ? { bodyAt, at: bodyAt + length } : undefined
  }
  return undefined
}
