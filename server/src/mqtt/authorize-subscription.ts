/** A device may subscribe to its own topics; a stored subscription passes here again when it is restored. [contract §6] */
import type { Subscription } from 'aedes'
import type { Connection } from './connection.ts'
import type { Presence } from './presence.ts'
import { isOwn } from './topics.ts'

const MAX_FILTERS = 100

/** @returns null for a filter that the device is not to have: SUBACK says 0x80 for it */
export function authorizeSubscription(
  { session }: Connection,
  presence: Presence,
  subscription: Subscription,
): Subscription | null {
  if (!session) return null
  const { account, topics, filters } = session
  if (!isOwn(topics, subscription.topic)) {
    presence.refused(account.number, 'topic_not_allowed')
    return null
  }
  if (filters.size >= MAX_FILTERS && !filters.has(subscription.topic)) {
    presence.refused(account.number, 'too_many_subscriptions')
    return null
  }
  filters.set(subscription.topic, subscription.qos)
  return subscription
}
