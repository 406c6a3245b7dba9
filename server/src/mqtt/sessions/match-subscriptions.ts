import { matches } from '../topics.ts'
import type { Qos } from './publication.ts'
import type { Session } from '../state.ts'

export interface Match {
  /** The highest QoS of the subscriptions that match. */
  qos: Qos
  identifiers: number[]
  retainAsPublished: boolean
}

export function matchSubscriptions(
  { subscriptions }: Pick<Session, 'subscriptions'>,
  topic: string,
  isOwnMessage = false,
): Match | undefined {
  let match: Match | undefined
  for (const { filter, qos, noLocal, retainAsPublished, identifier } of subscriptions.values()) {
    if ((noLocal && isOwnMessage) || !matches(filter, topic)) continue
    match ??= { qos: 0, identifiers: [], retainAsPublished: false }
    if (qos > match.qos) match.qos = qos
    if (identifier !== undefined) match.identifiers.push(identifier)
    match.retainAsPublished ||= retainAsPublished
  }
  return match
}
