/** Writes one PUBLISH to a device. */
import { unsentBytes, writePacket } from '../connection/output.ts'
import { MAX_UNSENT_BYTES } from '../connection/limits.ts'
import { encodePublish } from '../connection/encode-publish.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { LimitName } from '../limits/limit-advice.ts'
import type { Publication } from './publication.ts'
import type { Connection, Session } from '../state.ts'

export interface SendOptions {
  /** Absent for QoS 0. */
  packetId?: number
  identifiers: number[]
  isRepeat?: boolean
}

/** @returns false if the device will not receive it; that is recorded */
export function sendPublication(
  parts: GatewayParts,
  session: Session,
  publication: Publication,
  { packetId, identifiers, isRepeat = false }: SendOptions,
): boolean {
  const { connection } = session
  const remainingSeconds = remainingExpirySeconds(publication, Date.now())
  // A message that was sent once is sent again until the device has it. [MQTT-3.3.2-5, MQTT-4.4.0-1]
  if (remainingSeconds === 0 && !isRepeat) return drop(parts, session, publication, 'message_expiry')
  if (publication.qos === 0 && unsentBytes(connection.output) > MAX_UNSENT_BYTES)
    return drop(parts, session, publication, 'unsent_bytes')
  const alias = chooseAlias(connection, publication.topic)
  const named = alias?.isKnown ? { ...publication, topic: '' } : publication
  const bytes = encodePublish(connection.version, named, {
    packetId,
    isRepeat,
    properties: {
      forwarded: publication.properties ?? {},
      messageExpiryInterval: remainingSeconds,
      topicAlias: alias?.number,
      subscriptionIdentifiers: identifiers,
    },
  })
  if (bytes.length > (connection.clientLimits?.maximumPacketSize ?? Infinity))
    return drop(parts, session, publication, 'client_packet_bytes')
  writePacket(connection.output, bytes)
  if (alias) connection.outboundAliases!.set(publication.topic, alias.number)
  return true
}

/** Each connection keeps the topics, so that their number and length have to be limited. */
const MAX_ALIASES = 100
const MAX_ALIAS_TOPIC_LENGTH = 500

/** Topics get aliases in the order of their first message, as many as the client takes. [MQTT 5.0, 3.3.2.3.4] */
function chooseAlias(
  connection: Connection,
  topic: string,
): { number: number; isKnown: boolean } | undefined {
  const maximum = Math.min(connection.clientLimits?.topicAliasMaximum ?? 0, MAX_ALIASES)
  if (maximum === 0 || topic.length > MAX_ALIAS_TOPIC_LENGTH) return undefined
  connection.outboundAliases ??= new Map()
  const known = connection.outboundAliases.get(topic)
  if (known !== undefined) return { number: known, isKnown: true }
  const { size } = connection.outboundAliases
  return size < maximum ? { number: size + 1, isKnown: false } : undefined
}

function remainingExpirySeconds({ expiresAtMs }: Publication, nowMs: number): number | undefined {
  return expiresAtMs === undefined ? undefined : Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1000))
}

function drop(parts: GatewayParts, session: Session, publication: Publication, limit: LimitName): false {
  recordDrop(parts, session, publication, limit)
  return false
}

export function recordDrop(
  { ledger }: GatewayParts,
  { account }: Session,
  { topic, payload }: Publication,
  limit: LimitName,
): undefined {
  ledger.record(account.number, { limit, outcome: 'dropped', topic, bytes: payload.length })
}
