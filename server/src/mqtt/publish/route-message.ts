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
import { createDeviceSessions, findReceivers } from '../sessions/sessions.ts'
import { type DeviceTopic, deviceTopic, ownTopics } from '../topics.ts'
import { readMethodResponse } from './method-response.ts'
import { findTraceparent } from './traceparent.ts'
import type { DeviceSessions, Receivers, Session } from '../state.ts'

export interface RoutedMessage {
  message: DeviceMessage
  publication: Publication
  device: DeviceSessions
  /** The session that published it; absent for wills. */
  from: Session | undefined
  /** Called once the message is durable, or with the error that prevented it. */
  done: Done
}

export function routeMessage(parts: GatewayParts, routed: RoutedMessage): void {
  const { message, publication, device, from, done } = routed
  const { ingest } = parts
  // A session that subscribes from now on gets later messages, and what is retained.
  const receivers = findReceivers(device, publication.topic)
  const topic = deviceTopic(from?.topics ?? ownTopics(message.device.id), message.topic)
  // No message is retained on the platform's own topics.
  if (topic.kind !== 'other') publication.retain = false
  if (topic.kind === 'telemetry') return ingest.telemetry(message, deliverThen(parts, receivers, routed))
  if (topic.kind === 'reported') return ingest.reported(message, deliverThen(parts, receivers, routed))
  routeToDevice(parts, topic, routed).then((refusal) => {
    if (refusal) ingest.deadLetter(createDeadLetter(message, refusal), done)
    else deliverThen(parts, receivers, routed)()
  }, done)
}

/** @returns a callback that delivers the message to the sessions of the device, once it is durable */
function deliverThen(
  parts: GatewayParts,
  receivers: Receivers,
  { message, publication, from, done, device }: RoutedMessage,
): Done {
  if (isNobody(receivers)) return done
  return (error) => {
    const storing = error
      ? undefined
      : deliver(parts, receivers, {
          publication,
          from,
          packetId: message.packetId,
          clientNumber: device.number,
        })
    if (storing) storing.then(() => done(), done)
    else done(error)
  }
}

interface Unconnected {
  account: Account
  /** See `findSessions`. */
  device: DeviceSessions
  publication: Publication
  /** The time of the message, in ms since 1970. */
  receivedAtMs: number
}

/** Publishes a message that has no connection, such as a will. It has its place in the order at once. */
export async function publishFor(
  parts: GatewayParts,
  { account, device, publication, receivedAtMs }: Unconnected,
): Promise<void> {
  const { topic, payload, properties } = publication
  const traceparent = properties?.userProperties && findTraceparent(properties.userProperties)
  const message = {
    device: account,
    topic,
    payload,
    receivedAtMs,
    packetId: 0,
    isRepeat: false,
    ...(traceparent !== undefined && { traceparent }),
  }
  await new Promise<void>((resolve, reject) =>
    routeMessage(parts, {
      publication,
      device,
      from: undefined,
      message,
      done: (error) => (error ? reject(error) : resolve()),
    }),
  )
}

/** @returns the sessions of a device, which need not be connected to this node */
export const findSessions = async (
  { sessions, storedSessions }: GatewayParts,
  { id, number }: Account,
): Promise<DeviceSessions> =>
  sessions.byDevice.get(id) ?? { ...createDeviceSessions(number), others: await storedSessions.list(number) }

/** @returns why nobody receives the message; undefined if somebody does */
async function routeToDevice(
  parts: GatewayParts,
  topic: DeviceTopic,
  { device, message, publication }: RoutedMessage,
): Promise<UnreadableError | undefined> {
  if (topic.kind === 'method_response')
    return settleMethod(parts.ctx, message.device.id, topic.correlationId, message.payload)
  if (publication.retain) {
    const isStored = parts.storedSessions.putRetained(device.number, publication)
    device.retaining = isStored.catch(() => {})
    if (await isStored) return undefined
    parts.ledger.record(device.number, {
      limit: 'retained_messages',
      outcome: 'refused',
      topic: publication.topic,
      bytes: publication.payload.length,
    })
    return new UnreadableError(
      'not_retained',
      'The device has as many retained messages as it may. Clear some first.',
    )
  }
  if (!isNobody(findReceivers(device, publication.topic))) return undefined
  return new UnreadableError('unknown_topic', `Nothing listens on ${publication.topic}.`)
}

const isNobody = ({ connected, others }: Receivers) => connected.length === 0 && others.length === 0

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
