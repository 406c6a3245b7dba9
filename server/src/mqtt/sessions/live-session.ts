/** The interface through which the rest of the platform uses a device's session. */
import type { LiveSession } from '../../providers/live-sessions.ts'
import { endConnection } from '../connection/end-connection.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { send } from './deliver.ts'
import { matchSubscriptions } from './match-subscriptions.ts'
import { guardStorage } from './outbox.ts'
import type { Publication } from './publication.ts'
import type { Session } from '../state.ts'

export function createLiveSession(
  parts: GatewayParts,
  session: Session,
  signedInWith: LiveSession['signedInWith'],
): LiveSession {
  const findGrant = (topic: string) =>
    session.connection.phase === 'open' ? matchSubscriptions(session, topic) : undefined
  return {
    signedInWith,
    isSubscribedTo: (topic) => findGrant(topic) !== undefined,
    send(topic, payload, replyTo) {
      const grant = findGrant(topic)
      if (!grant) return false
      const publication: Publication = { topic, payload: Buffer.from(payload), qos: 1, retain: false }
      if (replyTo)
        publication.properties = {
          responseTopic: replyTo.topic,
          correlationData: Buffer.from(replyTo.correlationData),
        }
      const storing = send(parts, session, publication, { ...grant, retain: false })
      if (storing) void guardStorage(parts, session, storing)
      return true
    },
    end: (reason, message) => endConnection(parts, session.connection, { reason, message }),
  }
}
