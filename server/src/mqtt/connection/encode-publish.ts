import type { Publication } from '../sessions/publication.ts'
import {
  type MessageProperties,
  variableInteger,
  withLength,
  writeMessageProperties,
} from './message-properties.ts'
import type { ProtocolVersion } from '../state.ts'

export interface PublishOptions {
  /** Absent for QoS 0. */
  packetId: number | undefined
  /** Whether it may have been sent before. */
  isRepeat: boolean
  /** Left out before MQTT 5. */
  properties: MessageProperties
}

/** @returns the PUBLISH packet in bytes */
export function encodePublish(
  version: ProtocolVersion,
  { topic, payload, qos, retain }: Publication,
  { packetId, isRepeat, properties }: PublishOptions,
): Buffer {
  const flags = (isRepeat ? 8 : 0) | (qos << 1) | (retain ? 1 : 0)
  const body = [withLength(topic)]
  if (packetId !== undefined) body.push(Buffer.of(packetId >> 8, packetId & 255))
  if (version === 5) body.push(writeMessageProperties(properties))
  body.push(payload)
  const length = body.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.of(0x30 | flags), variableInteger(length), ...body])
}
