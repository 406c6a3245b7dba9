/** Retained messages: a device gets them when it subscribes. [docs/mqtt#sessions] */
import type { GatewayParts } from '../gateway-parts.ts'
import { matches } from '../topics.ts'
import { send } from './deliver.ts'
import { guardStorage } from './outbox.ts'
import type { Subscription } from './publication.ts'
import type { Session } from '../state.ts'

/**
 * A message that matches several of the subscriptions is sent for each of them. [MQTT-3.3.1-6] A kept session stores one
 * before the next: what is being stored cannot be dropped, and would fill the memory that all sessions share.
 */
export async function sendRetained(
  parts: GatewayParts,
  session: Session,
  subscriptions: Subscription[],
): Promise<void> {
  if (subscriptions.length === 0) return
  await session.device.retaining
  const listed = parts.storedSessions.listRetained(session.account.number)
  if (!(await guardStorage(parts, session, listed))) return
  const retained = await listed
  for (const { filter, qos, identifier } of subscriptions)
    for (const publication of retained)
      if (matches(filter, publication.topic)) {
        const identifiers = identifier === undefined ? [] : [identifier]
        const storing = send(parts, session, publication, { qos, retain: true, identifiers })
        if (storing && !(await guardStorage(parts, session, storing))) return
      }
}
