/** A device may subscribe to its own topics; a stored subscription passes here again when it is restored. [contract §6] */
import type { Subscription } from 'aedes'
import { printable } from '../ingest/json-object.ts'
import type { Connection } from './connection.ts'
import type { Presence } from './presence.ts'
import { isOwn } from './topics.ts'

const MAX_FILTERS = 100

/** @returns null for a filter that is refused: SUBACK says 0x80 for it, and the client's record says why */
export function authorizeSubscription(
  { session }: Connection,
  presence: Presence,
  subscription: Subscription,
): Subscription | null {
  if (!session) return null
  const { account, topics, filters } = session
  if (!isOwn(topics, subscription.topic)) {
    const message = `The device may subscribe to ${topics.root}/# only, not to ${printable(subscription.topic)}.`
    presence.refused(account.number, 'topic_not_allowed', message)
    return null
  }
  if (filters.size >= MAX_FILTERS && !filters.has(subscription.topic)) {
    const message = `A session has ${MAX_FILTERS} subscriptions at most; ${printable(subscription.topic)} is one more. Use wildcards.`
    presence.refused(account.number, 'too_many_subscriptions', message)
    return null
  }
  filters.set(subscription.topic, subscription.qos)
  return subscription
}
