/** The MQTT sessions on this node, by device. The gateway adds and removes them; other rooms send to devices with them. */

import type { Interests } from '../nodes/transport.ts'

export interface LiveSession {
  /** Whether the session has subscribed to the topic. */
  isSubscribedTo(topic: string): boolean
  /**
   * Sends with QoS 1 if the session has subscribed to the topic.
   * @param replyTo left out before MQTT 5
   * @returns whether it has subscribed
   */
  send(topic: string, payload: string, replyTo?: ReplyTo): boolean
  /** Ends the session. The reason and message are stored with the client for its operator. */
  end(reason: DisconnectReason, message: string): void
  /** The present slot of the key with which the session signed in; a rotation changes it. */
  signedInWith: 'primary' | 'secondary' | 'certificate'
}

/** Where a device answers a request. [MQTT 5.0, 4.10] */
export interface ReplyTo {
  topic: string
  correlationData: string
}

/** Why a session ended. The API shows these values with the client. */
export type DisconnectReason =
  | 'client_disconnected'
  | 'connection_lost'
  | 'keep_alive_timeout'
  | 'session_taken_over'
  | 'client_disabled'
  | 'client_deleted'
  | 'keys_rotated'
  | 'certificate_expired'
  | 'certificate_revoked'
  | 'message_too_large'
  | 'topic_not_allowed'
  | 'protocol_error'
  | 'too_slow'
  | 'storage_unavailable'
  | 'server_stopped'

export interface LiveSessions {
  add(deviceId: string, session: LiveSession): void
  remove(deviceId: string, session: LiveSession): void
  list(deviceId: string): readonly LiveSession[]
  count(): number
}

/** @param interests this node receives the messages to devices with a session here */
export function createLiveSessions(interests: Interests): LiveSessions {
  const byDevice = new Map<string, LiveSession[]>()
  let count = 0
  return {
    add(deviceId, session) {
      if (!byDevice.has(deviceId)) interests.add(deviceId)
      byDevice.set(deviceId, [...(byDevice.get(deviceId) ?? []), session])
      count++
    },
    remove(deviceId, session) {
      const sessions = byDevice.get(deviceId) ?? []
      const others = sessions.filter((other) => other !== session)
      count -= sessions.length - others.length
      if (others.length > 0) byDevice.set(deviceId, others)
      else if (byDevice.delete(deviceId)) interests.delete(deviceId)
    },
    list: (deviceId) => byDevice.get(deviceId) ?? [],
    count: () => count,
  }
}
