/** A session like those of the gateway that records its messages and its end. */
import type { Context } from '../../src/context.ts'
import type { LiveSession } from '../../src/providers/live-sessions.ts'

export interface RecordedSession extends LiveSession {
  sent: { topic: string; payload: unknown }[]
  ended: { reason: string; message: string } | undefined
}

/** @param topics its subscriptions, without wildcards */
export function connectSession(
  ctx: Context,
  deviceId: string,
  topics: string[] = [],
  signedInWith: LiveSession['signedInWith'] = 'primary',
): RecordedSession {
  const session: RecordedSession = {
    sent: [],
    ended: undefined,
    signedInWith,
    isSubscribedTo: (topic) => topics.includes(topic),
    send(topic, payload) {
      if (!topics.includes(topic)) return false
      session.sent.push({ topic, payload: JSON.parse(payload) })
      return true
    },
    end(reason, message) {
      session.ended = { reason, message }
      ctx.liveSessions.remove(deviceId, session)
    },
  }
  ctx.liveSessions.add(deviceId, session)
  return session
}
