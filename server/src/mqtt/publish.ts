/**
 * Handles the messages that devices publish. The broker calls `acceptPublish` before it acknowledges, so that the
 * acknowledgement waits for the commit; `hasReceiver` then decides whether the broker forwards the message.
 * [docs/mqtt#acknowledgement]
 */
import type { AedesPublishPacket, PublishPacket } from 'aedes'
import { createDeadLetter } from '../ingest/dead-letters/store.ts'
import type { Done } from '../ingest/group-commit.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { DeviceMessage } from '../ingest/message.ts'
import { printable } from '../ingest/json-object.ts'
import { UnreadableError } from '../ingest/unreadable.ts'
import type { MethodRelay } from '../providers/method-relay/method-relay.ts'
import type { PendingMethods } from '../providers/pending-methods.ts'
import type { Backlog } from './backlog.ts'
import { type Connection, endConnection, type Session } from './connection.ts'
import { readMethodResponse } from './method-response.ts'
import { MAX_PAYLOAD_BYTES } from './packet-gate.ts'
import { arrivalMs, mayBeSentAgain } from './sent-again.ts'
import type { SessionStore } from './session-store.ts'
import { type DeviceTopic, deviceTopic, isOwn, isTopicName, matches } from './topics.ts'

export interface PublishParts {
  ingest: Ingest
  backlog: Backlog
  store: SessionStore
  pendingMethods: PendingMethods
  methodRelay: MethodRelay
  /** Sessions of the device on this node. */
  sessionsOf(deviceId: string): Iterable<Session>
}

/** @param done called without an error, it makes the broker acknowledge */
export function acceptPublish(
  parts: PublishParts,
  connection: Connection,
  packet: PublishPacket,
  done: Done,
): void {
  const { session } = connection
  if (!session) return done(new Error('nobody has signed in'))
  const breach = breachOf(session, packet)
  if (breach) {
    endConnection(connection, ...breach)
    return done(new Error(breach[1]))
  }
  const message = messageOf(session, packet)
  const size = message.payload.length
  parts.backlog.enter(connection, size)
  const finish: Done = (error) => {
    parts.backlog.leave(connection, size)
    if (error)
      endConnection(connection, 'storage_unavailable', 'The message could not be stored. Send it again.')
    done(error)
  }
  take(parts, session, { topic: deviceTopic(session.topics, packet.topic), message, packet, done: finish })
}

type Breach = ['message_too_large' | 'topic_not_allowed' | 'protocol_error', string]

function breachOf(
  { topics }: Session,
  { topic, payload, qos, messageId }: PublishPacket,
): Breach | undefined {
  if (payload.length > MAX_PAYLOAD_BYTES)
    return [
      'message_too_large',
      `A message on ${printable(topic)} has ${payload.length} bytes; ${MAX_PAYLOAD_BYTES} is the limit.`,
    ]
  if (!isTopicName(topic)) return ['protocol_error', 'A topic is empty, or holds a wildcard or NUL.']
  if (!isOwn(topics, topic))
    return [
      'topic_not_allowed',
      `The device may publish to ${topics.root}/# only, not to ${printable(topic)}.`,
    ]
  // [MQTT-2.3.1-1]; a will has no identifier at all.
  if (qos > 0 && messageId !== undefined && messageId < 1)
    return ['protocol_error', 'A packet identifier was 0.']
  return undefined
}

function messageOf(
  { account, connection }: Session,
  { topic, payload, messageId: packetId = 0, dup }: PublishPacket,
): DeviceMessage {
  const nowMs = Date.now()
  const receivedAtMs = packetId > 0 ? arrivalMs(connection.sent, packetId, nowMs) : nowMs
  const isDoubtful = packetId > 0 && mayBeSentAgain(connection.sent, packetId, receivedAtMs)
  return {
    device: account,
    topic,
    payload: payload as Buffer,
    receivedAtMs,
    packetId,
    isRepeat: dup || isDoubtful,
  }
}

function take(
  parts: PublishParts,
  session: Session,
  {
    topic,
    message,
    packet,
    done,
  }: { topic: DeviceTopic; message: DeviceMessage; packet: PublishPacket; done: Done },
): void {
  // The broker must not retain messages on the platform's own topics.
  if (topic.kind !== 'other') packet.retain = false
  if (topic.kind === 'telemetry') return parts.ingest.telemetry(message, done)
  if (topic.kind === 'reported') return parts.ingest.reported(message, done)
  const finish = (refusal: UnreadableError | undefined) =>
    refusal ? parts.ingest.deadLetter(createDeadLetter(message, refusal), done) : done()
  if (topic.kind !== 'method_response') return finish(refusalOfOther(parts, session, message, packet))
  settleMethod(parts, session, topic.correlationId, message.payload).then(finish, done)
}

async function settleMethod(
  { pendingMethods, methodRelay }: PublishParts,
  { account }: Session,
  correlationId: string,
  payload: Buffer,
): Promise<UnreadableError | undefined> {
  const response = readMethodResponse(payload)
  if (response instanceof UnreadableError) return response
  if (pendingMethods.settle(account.id, correlationId, response)) return undefined
  // A device that disconnected during the method may have reconnected to another node.
  if (await methodRelay.relayResponse({ clientId: account.id, correlationId, response })) return undefined
  return new UnreadableError(
    'no_method_waiting',
    'Nobody waits for this response: it came late, twice, or unasked.',
  )
}

/** Checks a message on another topic: it needs a subscriber among the device's sessions, unless it is retained. */
function refusalOfOther(
  { store, sessionsOf }: PublishParts,
  { account }: Session,
  message: DeviceMessage,
  packet: PublishPacket,
): UnreadableError | undefined {
  const { topic, payload } = message
  if (packet.retain) {
    if (store.mayRetain(topic, payload)) return undefined
    packet.retain = false
    return new UnreadableError(
      'not_retained',
      'The device has as many retained messages as it may. Clear some first.',
    )
  }
  if (hasListener(sessionsOf(account.id), topic) || store.hasSubscriber(account.id, topic)) return undefined
  return new UnreadableError('unknown_topic', `Nothing listens on ${topic}.`)
}

const hasListener = (sessions: Iterable<Session>, topic: string) => {
  for (const { filters } of sessions)
    for (const filter of filters.keys()) if (matches(filter, topic)) return true
  return false
}

/** Whether the message has a receiver in the broker, whose fan-out costs more than all other processing of a message. */
export function hasReceiver(
  { store, sessionsOf }: PublishParts,
  deviceId: string,
  packet: AedesPublishPacket | PublishPacket,
) {
  return (
    packet.retain ||
    hasListener(sessionsOf(deviceId), packet.topic) ||
    store.hasSubscriber(deviceId, packet.topic)
  )
}
