/**
 * A device may subscribe to its own topics. SUBACK says so for each filter; before MQTT 5 it has one code for all
 * refusals, and the client's record and the log give the reason. [docs/mqtt#access-rule]
 */
import type { ISubscribePacket, ISubscription } from 'mqtt-packet'
import { type Grant, sendSuback } from '../connection/protocol-version.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { printable } from '../../ingest/json-object.ts'
import { isOwn } from '../topics.ts'
import { sendQueuedCommands } from './commands.ts'
import { guardStorage } from './outbox.ts'
import type { RefusalReason } from './presence.ts'
import type { Subscription } from './publication.ts'
import { sendRetained } from './retained.ts'
import type { Session } from '../state.ts'

export const MAX_SUBSCRIPTIONS = 100
/** Characters of all filters of a session: a filter may have 65,535 bytes, and is kept for as long as the session. */
const MAX_FILTER_CHARACTERS = 64 * 1024

/** Counts as a waiting message until its retained messages are on their way, so that a device cannot collect them. */
export function handleSubscribe(parts: GatewayParts, session: Session, packet: ISubscribePacket): void {
  const characters = countCharacters(packet.subscriptions.map(({ topic }) => topic))
  parts.backlog.during(session.connection, characters, subscribe(parts, session, packet))
}

async function subscribe(
  parts: GatewayParts,
  session: Session,
  { messageId, subscriptions, properties }: ISubscribePacket,
): Promise<void> {
  const { stored } = session
  const grants: Grant[] = []
  const granted: { subscription: Subscription; sendsRetained: boolean }[] = []
  for (const request of subscriptions) {
    const refusal = findRefusal(session, request.topic)
    if (refusal) {
      recordRefusal(parts, session, refusal)
      grants.push(refusal)
      continue
    }
    const subscription = toSubscription(request, properties?.subscriptionIdentifier)
    const isNew = !session.subscriptions.has(request.topic)
    session.subscriptions.set(request.topic, subscription)
    granted.push({ subscription, sendsRetained: request.rh === 2 ? false : request.rh !== 1 || isNew })
    grants.push({ code: request.qos })
  }
  session.device.receivers = undefined
  if (stored && granted.length > 0) {
    const saved = parts.storedSessions.saveSubscriptions(stored, session.subscriptions.values())
    if (!(await guardStorage(parts, session, saved))) return
  }
  sendSuback(session.connection, messageId!, grants)
  const filters = granted.map(({ subscription }) => subscription.filter)
  const withRetained = granted.filter(({ sendsRetained }) => sendsRetained)
  const retaining = sendRetained(
    parts,
    session,
    withRetained.map(({ subscription }) => subscription),
  )
  parts.sendDesired(session, filters)
  sendQueuedCommands(parts.commandQueue, session, filters)
  await retaining
}

const countCharacters = (filters: Iterable<string>): number => {
  let characters = 0
  for (const filter of filters) characters += filter.length
  return characters
}

const toSubscription = ({ topic, qos, nl, rap }: ISubscription, identifier?: number): Subscription => ({
  filter: topic,
  qos,
  noLocal: nl ?? false,
  retainAsPublished: rap ?? false,
  ...(identifier !== undefined && { identifier }),
})

interface Refusal {
  code: ReasonCode
  reason: RefusalReason
  message: string
}

function findRefusal({ topics, subscriptions }: Session, filter: string): Refusal | undefined {
  if (!isOwn(topics, filter))
    return {
      code: filter.startsWith('$share/')
        ? ReasonCode.sharedSubscriptionsNotSupported
        : ReasonCode.notAuthorized,
      reason: 'topic_not_allowed',
      message: `The device may subscribe to ${topics.root}/# only, not to ${printable(filter)}.`,
    }
  if (subscriptions.size >= MAX_SUBSCRIPTIONS && !subscriptions.has(filter))
    return {
      code: ReasonCode.quotaExceeded,
      reason: 'too_many_subscriptions',
      message: `A session has ${MAX_SUBSCRIPTIONS} subscriptions at most, and ${printable(filter)} is one more. Use wildcards.`,
    }
  const characters = countCharacters(subscriptions.keys()) + filter.length
  if (characters > MAX_FILTER_CHARACTERS && !subscriptions.has(filter))
    return {
      code: ReasonCode.quotaExceeded,
      reason: 'too_many_subscriptions',
      message: `The filters of a session have ${MAX_FILTER_CHARACTERS} characters at most. Use shorter ones.`,
    }
  return undefined
}

function recordRefusal(
  { ctx, presence, ledger }: GatewayParts,
  { account, connection }: Session,
  refusal: Refusal,
): void {
  const { reason, message } = refusal
  presence.refused(account.number, reason, message)
  if (reason === 'too_many_subscriptions')
    ledger.record(account.number, { limit: 'subscriptions', outcome: 'refused' })
  ctx.metrics.mqttRefusals.inc({ reason: 'suback_128' })
  ctx.warnOfDevice('a subscription was refused', {
    device: account.id,
    remoteAddress: connection.remoteAddress,
    reason,
    message,
  })
}
