/** A device publishes a message: it is routed, and acknowledged once that is durable. [docs/mqtt#acknowledgement] */
import { printable } from '../../ingest/json-object.ts'
import { SendersMovedError } from '../../ingest/lock-senders.ts'
import { takenOverElsewhere } from '../connection/disconnect-reason.ts'
import { endConnection } from '../connection/end-connection.ts'
import { MAX_PAYLOAD_BYTES, RECEIVE_MAXIMUM, TOPIC_ALIAS_MAXIMUM } from '../connection/limits.ts'
import type { ReceivedPublish } from '../connection/read-publish.ts'
import { PacketError, ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { refuseOverRate } from '../limits/rate.ts'
import { guardStorage } from '../sessions/outbox.ts'
import type { Publication } from '../sessions/publication.ts'
import { isOwn, MAX_TOPIC_LEVELS } from '../topics.ts'
import { acknowledge, expectAcknowledgement, isPubrecExpected } from './acknowledge.ts'
import { arrivalMs, mayBeSentAgain } from './redelivery.ts'
import { routeMessage } from './route-message.ts'
import { findTraceparent } from './traceparent.ts'
import type { Acknowledgement, Connection, Ending, Session } from '../state.ts'

/** @throws PacketError */
export function handlePublish(parts: GatewayParts, session: Session, packet: ReceivedPublish): void {
  const { connection } = session
  const publication = toPublication(connection, packet)
  if (!checkPublication(parts, session, publication)) return
  const { qos, packetId } = packet
  if (qos === 0) return receive(parts, session, publication, packet)
  checkReceiveMaximum(session)
  // Only PUBREL ends the flow of a message with QoS 2: until then the same identifier means the same message.
  const isReceived = qos === 2 && session.received?.has(packetId) === true
  if (isReceived && isPubrecExpected(connection, packetId)) return
  const acknowledgement = expectAcknowledgement(connection, packetId, qos)
  if (isReceived) return acknowledge(connection, acknowledgement)
  const refusal = refuseOverRate(parts, session, publication)
  if (refusal) return acknowledge(connection, acknowledgement, refusal)
  if (qos === 2) (session.received ??= new Set()).add(packetId)
  receive(parts, session, publication, packet, acknowledgement)
}

function toPublication(
  connection: Connection,
  { topic, payload, qos, retain, properties }: ReceivedPublish,
): Publication {
  const publication: Publication = { topic, payload, qos, retain }
  if (!properties) return publication
  const { topicAlias, messageExpiryInterval, forwarded } = properties
  if (topicAlias !== undefined) publication.topic = resolveAlias(connection, topic, topicAlias)
  if (messageExpiryInterval !== undefined) publication.expiresAtMs = Date.now() + messageExpiryInterval * 1000
  publication.properties = forwarded
  return publication
}

/** [MQTT 5.0, 3.3.2.3.4] */
function resolveAlias({ inbound }: Connection, topic: string, alias: number): string {
  if (alias < 1 || alias > TOPIC_ALIAS_MAXIMUM)
    throw new PacketError(
      ReasonCode.topicAliasInvalid,
      `The topic alias ${alias} is not within 1 to ${TOPIC_ALIAS_MAXIMUM}.`,
      'topic_alias_maximum',
    )
  inbound.topicAliases ??= new Map()
  if (topic) inbound.topicAliases.set(alias, topic)
  const resolved = inbound.topicAliases.get(alias)
  if (!resolved) throw new PacketError(ReasonCode.protocolError, `The topic alias ${alias} has no topic yet.`)
  return resolved
}

/** Ends the connection if the message is not allowed. @throws PacketError */
function checkPublication(
  parts: GatewayParts,
  { connection, topics }: Session,
  { topic, payload }: Publication,
): boolean {
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new PacketError(
      ReasonCode.packetTooLarge,
      `A message on ${printable(topic)} has ${payload.length} bytes; ${MAX_PAYLOAD_BYTES} is the limit.`,
      'message_bytes',
    )
  if (topic === topics.telemetry) return true
  if (!isOwn(topics, topic)) {
    endConnection(parts, connection, {
      reason: 'topic_not_allowed',
      message: `The device may publish to ${topics.root}/# only, not to ${printable(topic)}.`,
    })
    return false
  }
  if (topic.split('/', MAX_TOPIC_LEVELS + 1).length > MAX_TOPIC_LEVELS)
    throw new PacketError(
      ReasonCode.protocolError,
      `A topic has more than ${MAX_TOPIC_LEVELS} levels.`,
      'topic_levels',
    )
  return true
}

/** Before MQTT 5 a client cannot know the limit, and is read more slowly instead. [MQTT-3.3.4-8] */
function checkReceiveMaximum({ connection, received }: Session): void {
  const receivedCount = received?.size ?? 0
  const { acknowledgements } = connection.inbound
  if (connection.version < 5 || acknowledgements.length + receivedCount < RECEIVE_MAXIMUM) return
  const unacknowledged = acknowledgements.filter(({ type }) => type === 'puback').length + receivedCount
  if (unacknowledged >= RECEIVE_MAXIMUM)
    throw new PacketError(
      ReasonCode.receiveMaximumExceeded,
      `More than ${RECEIVE_MAXIMUM} messages wait for their acknowledgements.`,
      'receive_maximum',
    )
}

/** @param acknowledgement sent once the message is durable; absent for QoS 0 */
function receive(
  parts: GatewayParts,
  session: Session,
  publication: Publication,
  { packetId, dup }: ReceivedPublish,
  acknowledgement?: Acknowledgement,
): void {
  const { account, connection } = session
  const { sent } = connection.inbound
  const nowMs = Date.now()
  const receivedAtMs = packetId > 0 ? arrivalMs(sent, packetId, nowMs) : nowMs
  const isDoubtful = packetId > 0 && mayBeSentAgain(sent, packetId, receivedAtMs)
  const { topic, payload, properties } = publication
  const traceparent = properties?.userProperties && findTraceparent(properties.userProperties)
  const size = payload.length
  parts.backlog.enter(connection, size)
  routeMessage(parts, {
    publication,
    device: session.device,
    from: session,
    message: {
      device: account,
      topic,
      payload,
      receivedAtMs,
      packetId,
      isRepeat: dup || isDoubtful,
      ...(packetId > 0 && session.stored && { sender: session.stored }),
      ...(traceparent !== undefined && { traceparent }),
    },
    done(error) {
      parts.backlog.leave(connection, size)
      if (error) notStored(parts, session, packetId, error)
      else if (acknowledgement) confirm(parts, session, acknowledgement)
    },
  })
}

function notStored(parts: GatewayParts, session: Session, packetId: number, error: Error): void {
  session.received?.delete(packetId)
  const ending = error instanceof SendersMovedError ? takenOverElsewhere : storageUnavailable
  endConnection(parts, session.connection, ending)
}

const storageUnavailable: Ending = {
  reason: 'storage_unavailable',
  message: 'The message could not be stored. Send it again.',
}

function confirm(parts: GatewayParts, session: Session, acknowledgement: Acknowledgement): void {
  if (acknowledgement.type === 'pubrec' && session.stored) void confirmStored(parts, session, acknowledgement)
  else acknowledge(session.connection, acknowledgement)
}

/** The identifier of a message with QoS 2 is stored first: after a crash its repeat is not a new message. */
async function confirmStored(
  parts: GatewayParts,
  session: Session,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const inserted = parts.storedSessions.insertReceived(session.stored!, acknowledgement.packetId)
  if (await guardStorage(parts, session, inserted)) acknowledge(session.connection, acknowledgement)
}
