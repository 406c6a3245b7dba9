/** The interface through which the rest of the platform uses a device's session. */
import type { LiveSession } from '../providers/live-sessions.ts'
import { type Connection, type DeviceClient, endConnection } from './connection.ts'
import type { KeySlot } from './device-keys.ts'
import { matches } from './topics.ts'

/** Data that a device does not read wait in memory, up to this limit. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024

export function createLiveSession(client: DeviceClient, slot: KeySlot): LiveSession {
  const { connection } = client
  const qosOf = (topic: string) =>
    connection.isLive && !connection.ending ? grantedQos(connection, topic) : undefined
  return {
    signedInWith: slot,
    isSubscribedTo: (topic) => qosOf(topic) !== undefined,
    send(topic, payload) {
      const qos = qosOf(topic)
      if (qos === undefined) return false
      if (connection.socket.writableLength > MAX_UNSENT_BYTES) {
        endConnection(connection, 'too_slow', 'The device does not take what is sent to it.')
        return false
      }
      client.publish(
        { cmd: 'publish', topic, payload, qos: qos > 0 ? 1 : 0, retain: false, dup: false },
        () => {},
      )
      return true
    },
    end: (reason, message) => endConnection(connection, reason, message),
  }
}

function grantedQos({ session }: Connection, topic: string): number | undefined {
  const granted = [...(session?.filters ?? [])]
    .filter(([filter]) => matches(filter, topic))
    .map(([, qos]) => qos)
  return granted.length > 0 ? Math.max(...granted) : undefined
}
