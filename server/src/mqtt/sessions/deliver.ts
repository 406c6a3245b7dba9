/** Delivers a message to the sessions of its device that have subscribed to it. */
import type { GatewayParts } from '../gateway-parts.ts'
import { matchSubscriptions } from './match-subscriptions.ts'
import { enqueue } from './outbox.ts'
import type { Publication, Qos } from './publication.ts'
import { sendPublication } from './send-publication.ts'
import type { SessionSummary } from './stored/stored-sessions.ts'
import type { Receivers, Session } from '../state.ts'

/**
 * @param from the session that published it
 * @returns resolves once the message is durable for the sessions that are kept; undefined if there are none
 */
export function deliver(
  parts: GatewayParts,
  { connected, others }: Receivers,
  publication: Publication,
  from?: Session,
): Promise<unknown> | undefined {
  const storing = connected.map((session) => deliverTo(parts, session, publication, from))
  if (others.length > 0 && publication.qos > 0) storing.push(storeForOthers(parts, others, publication))
  return storing.some((promise) => promise !== undefined) ? Promise.all(storing) : undefined
}

async function storeForOthers(
  { storedSessions }: GatewayParts,
  others: SessionSummary[],
  publication: Publication,
): Promise<void> {
  for (const qos of [1, 2] as const) {
    const sessions = others.filter(
      (other) => Math.min(publication.qos, grantedQos(other, publication.topic)) === qos,
    )
    if (sessions.length === 0) continue
    const numbers = sessions.map(({ number }) => number)
    await storedSessions.insertForOthers(numbers, { ...publication, qos, retain: false })
  }
}

const grantedQos = ({ subscriptions }: SessionSummary, topic: string): Qos =>
  matchSubscriptions({ subscriptions: new Map(subscriptions.map((one) => [one.filter, one])) }, topic)?.qos ??
  0

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
  sendPublication(parts, session, outgoing, { identifiers })
  return undefined
}
