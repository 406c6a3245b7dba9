/** A device may subscribe to its own topics; a stored subscription is checked again when it is restored. [docs/mqtt#access-rule] */
import type { Subscription } from 'aedes'
import type { Context } from '../context.ts'
import { printable } from '../ingest/json-object.ts'
import type { Connection, Session } from './connection.ts'
import type { Presence, RefusalReason } from './presence.ts'
import { isOwn } from './topics.ts'

const MAX_FILTERS = 100

interface Parts {
  ctx: Pick<Context, 'metrics' | 'warnOfDevice'>
  presence: Presence
}

/**
 * @returns null for a refused filter. SUBACK has only the code 128 for it; the client's record and the log give the reason.
 */
export function authorizeSubscription(
  { ctx, presence }: Parts,
  connection: Connection,
  subscription: Subscription,
): Subscription | null {
  const { session, remoteAddress } = connection
  if (!session) return null
  const refusal = refusalOf(session, subscription.topic)
  if (!refusal) {
    session.filters.set(subscription.topic, subscription.qos)
    return subscription
  }
  const { id, number } = session.account
  presence.refused(number, refusal.reason, refusal.message)
  ctx.metrics.mqttRefusals.inc({ reason: 'suback_128' })
  ctx.warnOfDevice('a subscription was refused', { device: id, remoteAddress, ...refusal })
  return null
}

interface Refusal {
  reason: RefusalReason
  message: string
}

function refusalOf({ topics, filters }: Session, filter: string): Refusal | undefined {
  if (!isOwn(topics, filter))
    return {
      reason: 'topic_not_allowed',
      message: `The device may subscribe to ${topics.root}/# only, not to ${printable(filter)}.`,
    }
  if (filters.size >= MAX_FILTERS && !filters.has(filter))
    return {
      reason: 'too_many_subscriptions',
      message: `A session has ${MAX_FILTERS} subscriptions at most, and ${printable(filter)} is one more. Use wildcards.`,
    }
  return undefined
}
