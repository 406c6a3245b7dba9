/** Delivers a message to the sessions of its device that have subscribed to it. */
import type { GatewayParts } from '../gateway-parts.ts'
import { matchSubscriptions } from './match-subscriptions.ts'
import { enqueue } from './outbox.ts'
import type { Publication, Qos } from './publication.ts'
import { sendPublication } from './send-publication.ts'
import type { Receiver, SessionSummary } from './stored/stored-sessions.ts'
import type { Receivers, Session } from '../state.ts'

interface Delivered {
  publication: Publication
  /** The session that published it, and the packet identifier, which messages with QoS 0 do not have. */
  from: Session | undefined
  packetId: number
  clientNumber: number
}

/** @returns resolves once the message is durable for the sessions that are kept; undefined if there are none */
export function deliver(
  parts: GatewayParts,
  { connected, others }: Receivers,
  delivered: Delivered,
): Promise<unknown> | undefined {
  const { publication, from } = delivered
  // A QoS 2 message of a kept session and its packet identifier are stored in one transaction, so that a crash does not
  // double it.
  const isExactlyOnce = publication.qos === 2 && from?.stored !== undefined
  const stored = isExactlyOnce ? connected.filter((session) => session.stored) : []
  const receivers = [...others, ...stored]
    .map((receiver) => toReceiver(receiver, publication, from))
    .filter(({ qos }) => qos > 0)
  const numbers = new Set(receivers.map(({ number }) => number))
  const storing = connected
    .filter((session) => !session.stored || !numbers.has(session.stored.number))
    .map((session) => deliverTo(parts, session, publication, from))
  if (receivers.length > 0) storing.push(storeForOthers(parts, receivers, delivered))
  return storing.some((promise) => promise !== undefined) ? Promise.all(storing) : undefined
}

async function storeForOthers(
  { storedSessions, ledger }: GatewayParts,
  receivers: Receiver[],
  { publication, from, packetId, clientNumber }: Delivered,
): Promise<void> {
  const received = publication.qos === 2 && from?.stored ? { session: from.stored, packetId } : undefined
  const dropped = await storedSessions.insertForOthers(receivers, { ...publication, retain: false }, received)
  for (const { count } of dropped)
    ledger.record(clientNumber, {
      limit: 'queued_messages',
      outcome: 'dropped',
      count,
      topic: publication.topic,
    })
}

/** @returns the session with its QoS for the message, which is 0 also if it is not to receive it */
function toReceiver(
  receiver: SessionSummary | Session,
  { qos, topic }: Publication,
  from: Session | undefined,
): Receiver {
  const isSummary = 'number' in receiver
  const subscriptions = isSummary
    ? new Map(receiver.subscriptions.map((subscription) => [subscription.filter, subscription]))
    : receiver.subscriptions
  const granted = matchSubscriptions({ subscriptions }, topic, receiver === from)?.qos ?? 0
  return {
    number: isSummary ? receiver.number : receiver.stored!.number,
    qos: Math.min(qos, granted) as Qos,
  }
}

/** A message that matches several subscriptions is delivered once, with the highest QoS of them. [MQTT-3.3.5-1] */
function deliverTo(
  parts: GatewayParts,
  session: Session,
  publication: Publication,
  from: Session | undefined,
): Promise<void> | undefined {
  const grant = matchSubscriptions(session, publication.topic, session === from)
  if (!grant) return undefined
  return send(parts, session, publication, {
    ...grant,
    // The flag tells a new subscriber that a message is not new. [MQTT-3.3.1-9; MQTT 5.0, 3.8.3.1]
    retain: grant.retainAsPublished && publication.retain,
  })
}

interface Delivery {
  /** The granted QoS. */
  qos: Qos
  retain: boolean
  identifiers: number[]
}

/** Sends a message with at most the granted QoS. @returns as `enqueue` */
export function send(
  parts: GatewayParts,
  session: Session,
  publication: Publication,
  { qos, retain, identifiers }: Delivery,
): Promise<void> | undefined {
  const outgoing = { ...publication, retain, qos: Math.min(qos, publication.qos) as Qos }
  if (outgoing.qos > 0) return enqueue(parts, session, outgoing, identifiers)
  // Nothing may arrive before CONNACK. [MQTT-3.2.0-1]
  if (session.connection.phase === 'open') sendPublication(parts, session, outgoing, { identifiers })
  return undefined
}
