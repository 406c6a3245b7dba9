/** The sessions of this node: by client id, so that a second one displaces the first, and by device. [docs/mqtt#sessions] */
import type { Context } from '../context.ts'
import { type Connection, type DeviceClient, endConnection, type Session } from './connection.ts'
import { createLiveSession } from './live-session.ts'
import type { Presence } from './presence.ts'
import type { SignedIn } from './sign-in.ts'
import { ownTopics } from './topics.ts'

export interface Sessions {
  byClientId: Map<string, Connection>
  byDevice: Map<string, Set<Session>>
  of(deviceId: string): Iterable<Session>
  liveSessions: Context['liveSessions']
  connectionGauge: Context['metrics']['mqttConnections']
  presence: Presence
}

const none: Session[] = []

export function createSessions({ liveSessions, metrics }: Context, presence: Presence): Sessions {
  const byDevice = new Map<string, Set<Session>>()
  return {
    byClientId: new Map(),
    byDevice,
    of: (deviceId) => byDevice.get(deviceId) ?? none,
    liveSessions,
    connectionGauge: metrics.mqttConnections,
    presence,
  }
}

/** From here on the rest of the platform can end the session; it can send to it once CONNACK was sent. */
export function admit(sessions: Sessions, client: DeviceClient, { account, slot, clientId }: SignedIn): void {
  const { connection } = client
  const displaced = sessions.byClientId.get(clientId)
  if (displaced)
    endConnection(displaced, 'session_taken_over', 'The device connected again with the same client id.')
  // The broker knows the session by the scoped id from now on.
  Object.assign(client, { id: clientId })
  const session: Session = {
    clientId,
    connection,
    account,
    keyHash: slot === 'primary' ? account.primaryKeyHash : account.secondaryKeyHash,
    topics: ownTopics(account.id),
    filters: new Map(),
    live: createLiveSession(client, slot),
  }
  connection.session = session
  sessions.byClientId.set(clientId, connection)
  const ofDevice = sessions.byDevice.get(account.id)
  if (ofDevice) ofDevice.add(session)
  else sessions.byDevice.set(account.id, new Set([session]))
  sessions.liveSessions.add(account.id, session.live)
  sessions.connectionGauge.inc()
}

/** Removes the session of a connection whose socket has closed. */
export function leave(sessions: Sessions, { session, ending }: Connection): void {
  if (!session) return
  const { account, clientId, connection, live } = session
  if (sessions.byClientId.get(clientId) === connection) sessions.byClientId.delete(clientId)
  const ofDevice = sessions.byDevice.get(account.id)
  ofDevice?.delete(session)
  const isLast = ofDevice?.size === 0
  if (isLast) sessions.byDevice.delete(account.id)
  sessions.liveSessions.remove(account.id, live)
  sessions.connectionGauge.dec()
  sessions.presence.disconnected(account.number, isLast, ending!.reason, ending!.message)
}
