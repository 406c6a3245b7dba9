/** The MQTT sessions of this process, by device. The gateway adds and removes them; rooms reach devices through it. */

export interface LiveSession {
  /** Whether the session has subscribed to the topic, so that `send` would send. */
  takes(topic: string): boolean
  /** Sends with QoS 1, when the session has subscribed to the topic; says whether it has. */
  send(topic: string, payload: string): boolean
  /** Ends the session. The reason and message are kept with the client, so that its operator can see them. */
  end(reason: DisconnectReason, message: string): void
  /** The slot in which the key that it signed in with now stands; a rotation moves it. */
  signedInWith: 'primary' | 'secondary' | 'certificate'
}

/** Why a session ended: the closed set that clients show. */
export type DisconnectReason =
  | 'client_disconnected'
  | 'connection_lost'
  | 'keep_alive_timeout'
  | 'session_taken_over'
  | 'client_disabled'
  | 'client_deleted'
  | 'keys_rotated'
  | 'message_too_large'
  | 'topic_not_allowed'
  | 'protocol_error'
  | 'too_slow'
  | 'storage_unavailable'
  | 'server_stopped'

export interface LiveSessions {
  add(deviceId: string, session: LiveSession): void
  remove(deviceId: string, session: LiveSession): void
  of(deviceId: string): readonly LiveSession[]
  count(): number
}

export function createLiveSessions(): LiveSessions {
  const byDevice = new Map<string, LiveSession[]>()
  let count = 0
  return {
    add(deviceId, session) {
      byDevice.set(deviceId, [...(byDevice.get(deviceId) ?? []), session])
      count++
    },
    remove(deviceId, session) {
      const sessions = byDevice.get(deviceId) ?? []
      const others = sessions.filter((other) => other !== session)
      count -= sessions.length - others.length
      if (others.length > 0) byDevice.set(deviceId, others)
      else byDevice.delete(deviceId)
    },
    of: (deviceId) => byDevice.get(deviceId) ?? [],
    count: () => count,
  }
}
