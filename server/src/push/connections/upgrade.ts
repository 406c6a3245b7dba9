/** Handles the upgrade to a WebSocket: authenticates the client, and opens a new connection or resumes an earlier one. */
import type { IncomingMessage } from 'node:http'
import { WebSocketServer } from 'ws'
import type { Context } from '../../context.ts'
import { ApiError, unauthorized, validationError } from '../../http/errors.ts'
import { refuseUpgrade, type Upgrade } from '../../http/upgrades.ts'
import { closeSocket, REFUSED } from './connection.ts'
import { findCaller, type Negotiated, verifyNegotiated } from './credentials.ts'
import { findRecoverable, openConnection, resume } from './open-connection.ts'
import type { Connection, Push } from '../state.ts'
import { JSON_ONLY, RELIABLE, type Protocol } from './protocol.ts'

/** The path is as the public client expects it: the hub's name is at the end. */
export const clientPath = '/v1/realtime/client/hubs/gangway'
export const clientPaths = [clientPath, clientPath.replace('/v1', '')]
const MAX_MESSAGE_BYTES = 64 * 1024

const isSupported = (protocol: string): protocol is NonNullable<Protocol> =>
  protocol === RELIABLE || protocol === JSON_ONLY

export const createSockets = (): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => [...offered].find(isSupported) ?? false,
  })

export async function upgrade(
  ctx: Context,
  sockets: WebSocketServer,
  { request, stream, head }: Upgrade,
): Promise<void> {
  try {
    const asked = readUpgradeRequest(request)
    const { protocol } = asked
    if (asked.connectionId !== null) {
      const lost = await findResumable(ctx, asked)
      return sockets.handleUpgrade(request, stream, head, (socket) => {
        if (lost && !lost.isEnded) resume(ctx.push, lost, { socket, stream })
        // Only with this code does the public client give up the old connection and open a new one.
        else closeSocket(socket, REFUSED, 'This connection cannot be resumed. Open a new one.')
      })
    }
    const negotiated = await requireNegotiated(ctx, asked.token)
    requireRoom(ctx.push, negotiated)
    sockets.handleUpgrade(request, stream, head, (socket) =>
      openConnection(ctx.push, negotiated, { protocol, socket, stream }),
    )
  } catch (error) {
    if (!(error instanceof ApiError)) ctx.log.warn({ err: error }, 'a real-time connection was not opened')
    refuseUpgrade(stream, error)
  }
}

interface UpgradeRequest {
  token: string | null
  protocol: Protocol
  connectionId: string | null
  reconnectionToken: string
}

function readUpgradeRequest({ url = '/', headers }: IncomingMessage): UpgradeRequest {
  const { searchParams } = new URL(url, 'http://host')
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  const protocol = offered.find(isSupported)
  if (!protocol && offered[0] !== '')
    throw validationError({
      path: 'Sec-WebSocket-Protocol',
      message: `must be ${RELIABLE} or ${JSON_ONLY}, or absent`,
    })
  return {
    token:
      searchParams.get('access_token') ?? /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null,
    protocol,
    connectionId: searchParams.get('awps_connection_id'),
    reconnectionToken: searchParams.get('awps_reconnection_token') ?? '',
  }
}

/** The reconnection token replaces the negotiated token, which was checked at first and has mostly expired by then. */
async function findResumable(ctx: Context, asked: UpgradeRequest): Promise<Connection | undefined> {
  const lost = findRecoverable(ctx.push, asked.connectionId!, asked.reconnectionToken)
  if (!lost || lost.protocol !== asked.protocol) return undefined
  return (await findCaller(ctx, lost.credentials)) && lost
}

async function requireNegotiated(ctx: Context, token: string | null): Promise<Negotiated> {
  const negotiated = token === null ? undefined : await verifyNegotiated(ctx, token)
  if (!negotiated || !(await findCaller(ctx, negotiated)))
    throw unauthorized(
      'The access token is missing, expired, or not for this. Ask for one by POST /v1/realtime/negotiate.',
    )
  return negotiated
}

function requireRoom({ connectionsByUser, limits }: Push, { userId, negotiatedId }: Negotiated): void {
  const own = [...(connectionsByUser.get(userId) ?? [])]
  if (own.some((connection) => connection.negotiatedId === negotiatedId && connection.socket))
    throw new ApiError(
      'conflict',
      'This access token has opened a connection that is still there. Negotiate another.',
    )
  if (own.length >= limits.connectionsPerUser)
    throw new ApiError(
      'rate_limited',
      `A user has at most ${limits.connectionsPerUser} connections. Close some.`,
      {},
      10,
    )
}
