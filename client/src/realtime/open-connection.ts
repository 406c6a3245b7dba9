/** Opens a connection with a negotiated token, or resumes one that broke. */
import type { Schemas } from '../api-types.ts'
import { deliver } from './deliver.ts'
import { type Connection, type Live, request, type Session } from './live.ts'
import { openSocket } from './socket.ts'

/** @throws ApiError, ConnectionError, NotOpened */
export async function openConnection(live: Live, { isHeld = false } = {}): Promise<Connection> {
  const negotiated = await request(live, 'post', '/v1/realtime/negotiate')
  const { url, accessToken, expiresAt } = negotiated as Schemas['NegotiatedConnection']
  const session: Session = {
    url,
    connectionId: '',
    reconnectionToken: '',
    sequenceId: 0,
    expiresAt: expiresAt === null ? undefined : new Date(expiresAt),
    held: isHeld ? [] : undefined,
  }
  return openSession(live, session, { access_token: accessToken })
}

/** @throws NotOpened, with code 1008 if the server does not have the connection any more */
export const resumeConnection = (live: Live, session: Session): Promise<Connection> =>
  openSession(live, session, {
    awps_connection_id: session.connectionId,
    awps_reconnection_token: session.reconnectionToken,
  })

async function openSession(live: Live, session: Session, parameters: Record<string, string>) {
  const socket = await openSocket({
    WebSocket: live.WebSocket,
    timing: live.timing,
    address: `${session.url}?${new URLSearchParams(parameters)}`,
    sequenceId: session.sequenceId,
    onHeard: () => (live.heardAt = new Date()),
    onData: (data, sequenceId) => {
      session.sequenceId = sequenceId
      if (session.held) session.held.push(data)
      else deliver(live, data)
    },
  })
  Object.assign(session, socket.connected)
  return { session, socket }
}
