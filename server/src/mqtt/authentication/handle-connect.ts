/** Answers CONNECT: signs the device in, opens its session, and sends CONNACK. [docs/mqtt#sign-in] */
import { randomUUID } from 'node:crypto'
import type { IConnackPacket, IConnectPacket } from 'mqtt-packet'
import type { MessageProperties } from '../connection/message-properties.ts'
import { finishConnection } from '../connection/end-connection.ts'
import {
  MAX_PACKET_BYTES,
  MAX_SESSION_EXPIRY_SECONDS,
  RECEIVE_MAXIMUM,
  TOPIC_ALIAS_MAXIMUM,
} from '../connection/limits.ts'
import { reasonString, sendConnack } from '../connection/protocol-version.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { openSession } from '../sessions/open-session.ts'
import { resumeSession } from '../sessions/resume-session.ts'
import { findPeerCertificate } from './peer-certificate.ts'
import { RefusedError } from './refused-error.ts'
import { reviewSessions } from './review-sessions.ts'
import { signIn, type SignInAttempt } from './sign-in.ts'
import type { SignedIn } from './signed-in.ts'
import { endRefusedSignIn, startSignIn } from './trace-sign-in.ts'
import type { Connection } from '../state.ts'

interface ConnectRequest {
  packet: IConnectPacket
  /** The properties of the will in MQTT 5. The parser loses the order of user properties, so they are read separately. */
  willProperties: MessageProperties | undefined
}

export async function handleConnect(
  parts: GatewayParts,
  connection: Connection,
  { packet, willProperties }: ConnectRequest,
): Promise<void> {
  const peer = packet.password?.length ? undefined : findPeerCertificate(connection.stream)
  connection.username = peer?.commonName ?? packet.username
  connection.clientLimits = readClientLimits(packet)
  const trail = startSignIn(parts, connection, packet)
  try {
    refuseEnhancedAuthentication(packet)
    const signedIn = await signInFresh(parts, connection, { packet, peer, trail })
    refuseOverAddressLimit(parts, connection, signedIn.account.number)
    const clientId = packet.clientId || randomUUID()
    const session = await openSession(parts, connection, { ...signedIn, packet, willProperties, clientId })
    // The account or certificate that was read may have changed while the session was opened.
    if (connection.isStale) await reviewSessions(parts.ctx, parts.sessions, [signedIn.account.id])
    // A newer connection with this client id may have displaced this one in the same turn of the event loop.
    if (isEnded(connection)) return trail.end('failed', 'connection_lost')
    sendConnack(connection, {
      code: ReasonCode.success,
      sessionPresent: session.isResumed,
      properties: connackProperties(packet, clientId, signedIn.account.id),
    })
    trail.end('succeeded', 'session_opened')
    resumeSession(parts, session)
  } catch (error) {
    const refusal = error instanceof RefusedError ? error : unexpected(parts, error)
    if (isEnded(connection)) trail.end('failed', 'connection_lost')
    else endRefusedSignIn(trail, refusal)
    refuse(parts, connection, refusal)
  }
}

function readClientLimits({ protocolVersion, properties }: IConnectPacket): Connection['clientLimits'] {
  if (protocolVersion !== 5) return undefined
  return {
    receiveMaximum: properties?.receiveMaximum ?? 65_535,
    maximumPacketSize: properties?.maximumPacketSize ?? Infinity,
    topicAliasMaximum: properties?.topicAliasMaximum ?? 0,
    wantsReasons: properties?.requestProblemInformation ?? true,
  }
}

const isEnded = ({ phase }: Connection) => phase === 'ended'

/** Refuses a CONNECT that is malformed, or of a protocol that is not served. */
export function refuseConnect(
  parts: GatewayParts,
  connection: Connection,
  code: ReasonCode,
  message: string,
): void {
  refuse(parts, connection, new RefusedError(code, 'protocol_error', message))
}

function refuse(parts: GatewayParts, connection: Connection, { code, reason, message }: RefusedError): void {
  if (connection.phase === 'ended') return
  parts.ctx.metrics.mqttRefusals.inc({ reason: `connack_${code}` })
  parts.ctx.warnOfDevice('a device was refused', {
    device: connection.username,
    remoteAddress: connection.remoteAddress,
    reason,
    message,
  })
  sendConnack(connection, { code, properties: { reasonString: reasonString(message) } })
  finishConnection(parts, connection, { reason: 'client_disconnected', message })
}

function refuseEnhancedAuthentication({ properties }: IConnectPacket): void {
  if (properties?.authenticationMethod !== undefined)
    throw new RefusedError(
      ReasonCode.badAuthenticationMethod,
      'protocol_error',
      'Enhanced authentication is not served. Sign in with device id and key, or with a certificate.',
    )
}

function refuseOverAddressLimit(
  { ctx, presence, ledger }: GatewayParts,
  { isOverAddressLimit, remoteAddress }: Connection,
  clientNumber: number,
): void {
  if (!isOverAddressLimit) return
  const limit = 'connections_per_address'
  const message = `The address ${remoteAddress} has ${ctx.config.mqttConnectionsPerAddress} connections to this server, which is its limit.`
  presence.refused(clientNumber, limit, message)
  ledger.record(clientNumber, { limit, outcome: 'refused' })
  throw new RefusedError(ReasonCode.quotaExceeded, limit, message)
}

/** Signs in again if the client changed while its key was checked, because the account that was read may be outdated. */
async function signInFresh(
  parts: GatewayParts,
  connection: Connection,
  { packet, ...attempt }: SignInAttempt & { packet: IConnectPacket },
): Promise<SignedIn> {
  for (;;) {
    connection.isStale = false
    attempt.trail.restart()
    const signedIn = await signIn(parts, packet, attempt)
    if (!connection.isStale) return signedIn
  }
}

function unexpected({ ctx }: GatewayParts, error: unknown): RefusedError {
  ctx.log.error({ err: error }, 'a device could not sign in')
  return new RefusedError(ReasonCode.serverUnavailable, 'server_unavailable', 'Something went wrong here.')
}

function connackProperties(
  { clientId: requestedId, properties }: IConnectPacket,
  clientId: string,
  deviceId: string,
): NonNullable<IConnackPacket['properties']> {
  const requestedExpiry = properties?.sessionExpiryInterval ?? 0
  return {
    receiveMaximum: RECEIVE_MAXIMUM,
    maximumPacketSize: MAX_PACKET_BYTES,
    topicAliasMaximum: TOPIC_ALIAS_MAXIMUM,
    sharedSubscriptionAvailable: false,
    ...(requestedExpiry > MAX_SESSION_EXPIRY_SECONDS && {
      sessionExpiryInterval: MAX_SESSION_EXPIRY_SECONDS,
    }),
    ...(!requestedId && { assignedClientIdentifier: clientId }),
    ...(properties?.requestResponseInformation && { responseInformation: `devices/${deviceId}/` }),
  }
}
