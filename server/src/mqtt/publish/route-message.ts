/**
 * Routes a message of a device: the platform stores what is meant for it, and the sessions of the device receive what
 * they have subscribed to. [docs/mqtt#topics]
 */
import { createDeadLetter } from '../../ingest/dead-letters/store.ts'
import type { Done } from '../../ingest/group-commit.ts'
import type { DeviceMessage } from '../../ingest/message.ts'
import { UnreadableError } from '../../ingest/unreadable.ts'
import type { Account } from '../authentication/accounts.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { deliver } from '../sessions/deliver.ts'
import type { Publication } from '../sessions/publication.ts'
import type { Session } from '../sessions/session.ts'
import { type DeviceSessions, findReceivers } from '../sessions/sessions.ts'
import { type DeviceTopic, deviceTopic, ownTopics } from '../topics.ts'
import { readMethodResponse } from './method-response.ts'

export interface RoutedMessage {
  message: DeviceMessage
  publication: Publication
  /** The session that published it; absent for wills. */
  from: Session | undefined
  /** Called once the message is durable, or with the error that prevented it. */
  done: Done
}

export function routeMessage(parts: GatewayParts, routed: RoutedMessage): void {
  const { message, publication, from, done } = routed
  const { ingest } = parts
  const topic = deviceTopic(from?.topics ?? ownTopics(message.device.id), message.topic)
  // No message is retained on the platform's own topics.
  if (topic.kind !== 'other') publication.retain = false
  if (topic.kind === 'telemetry') return ingest.telemetry(message, deliverThen(parts, routed))
  if (topic.kind === 'reported') return ingest.reported(message, deliverThen(parts, routed))
  routeToDevice(parts, topic, routed).then((refusal) => {
    if (refusal) ingest.deadLetter(createDeadLetter(message, refusal), done)
    else deliverThen(parts, routed)()
  }, done)
}

/** @returns a callback that delivers the message to the sessions of the device, once it is durable */
function deliverThen(parts: GatewayParts, { message, publication, from, done }: RoutedMessage): Done {
  const sessions = parts.sessions.byDevice.get(message.device.id)
  if (!sessions || !hasReceivers(sessions, publication.topic)) return done
  return (error) => {
    const storing = error ? undefined : deliver(parts, sessions, publication, from)
    if (storing) storing.then(() => done(), done)
    else done(error)
  }
}

/** Publishes a message that has no connection, such as a will. */
export function publishFor(parts: GatewayParts, account: Account, publication: Publication): Promise<void> {
  const { topic, payload } = publication
  const receivedAtMs = Date.now()
  return new Promise((resolve, reject) =>
    routeMessage(parts, {
      publication,
      from: undefined,
      message: { device: account, topic, payload, receivedAtMs, packetId: 0, isRepeat: false },
      done: (error) => (error ? reject(error) : resolve()),
    }),
  )
}

/** @returns why nobody receives the message; undefined if somebody does */
async function routeToDevice(
  parts: GatewayParts,
  topic: DeviceTopic,
  { message, publication }: RoutedMessage,
): Promise<UnreadableError | undefined> {
  const { device, payload } = message
  if (topic.kind === 'method_response')
    return settleMethod(parts.ctx, device.id, topic.correlationId, payload)
  if (publication.retain) {
    if (await parts.storedSessions.putRetained(device.number, publication)) return undefined
    parts.ledger.record(device.number, {
      limit: 'retained_messages',
      outcome: 'refused',
      topic: publication.topic,
      bytes: payload.length,
    })
    return new UnreadableError(
      'not_retained',
      'The device has as many retained messages as it may. Clear some first.',
    )
  }
  const sessions = parts.sessions.byDevice.get(device.id)
  if (sessions && hasReceivers(sessions, publication.topic)) return undefined
  return new UnreadableError('unknown_topic', `Nothing listens on ${publication.topic}.`)
}

function hasReceivers(sessions: DeviceSessions, topic: string): boolean {
  const { connected, others } = findReceivers(sessions, topic)
  return connected.length > 0 || others.length > 0
}

async function settleMethod(
  { pendingMethods, methodRelay }: GatewayParts['ctx'],
  deviceId: string,
  correlationId: string,
  payload: Buffer,
): Promise<UnreadableError | undefined> {
  const response = readMethodResponse(payload)
  if (response instanceof UnreadableError) return response
  if (pendingMethods.settle(deviceId, correlationId, response)) return undefined
  // A device that disconnected during the method may have reconnected to another node.
  if (await methodRelay.relayResponse({ clientId: deviceId, correlationId, response })) return undefined
  return new UnreadableError(
    'no_method_waiting',
    'Nobody waits for this response: it came late, twice, or unasked.',
  )
}
