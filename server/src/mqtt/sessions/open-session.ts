/** Opens the session of a device that has signed in: displaces an older connection, and resumes what was kept. */
import type { IConnectPacket } from 'mqtt-packet'
import type { Account } from '../authentication/accounts.ts'
import type { SignedIn } from '../authentication/signed-in.ts'
import { RefusedError, withinReason } from '../authentication/refused-error.ts'
import { endConnection } from '../connection/end-connection.ts'
import { MAX_SESSION_EXPIRY_SECONDS, MAX_SESSIONS_OF_DEVICE } from '../connection/limits.ts'
import type { MessageProperties } from '../connection/message-properties.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { endSignIn } from '../limits/addresses.ts'
import { delayInDebt, findBucket } from '../limits/rate.ts'
import { ownTopics } from '../topics.ts'
import { createLiveSession } from './live-session.ts'
import { addStoredMessages, createOutbox } from './outbox.ts'
import type { Qos } from './publication.ts'
import { addSession, createDeviceSessions } from './sessions.ts'
import type { OpenedSession, SessionSummary } from './stored/stored-sessions.ts'
import { settleWill } from './wills.ts'
import type { Connection, Session, Will } from '../state.ts'
import { sessionKey } from './sessions.ts'

interface Opening extends SignedIn {
  packet: IConnectPacket
  /** Set if the protocol is MQTT 5. */
  willProperties: MessageProperties | undefined
  clientId: string
}

/** From here on the rest of the platform can end the session. @throws RefusedError */
export async function openSession(
  parts: GatewayParts,
  connection: Connection,
  opening: Opening,
): Promise<Session> {
  const { account, clientId } = opening
  const key = sessionKey(account.id, clientId)
  displace(parts, key)
  refuseTooMany(parts, account)
  const expirySeconds = requestedExpiry(opening.packet)
  const finding = findKept(parts, opening, expirySeconds)
  try {
    const [kept, others] = await withinReason(finding)
    // The device may have disconnected meanwhile. Its session must not begin, because nothing would end it.
    if (connection.phase === 'ended')
      throw new RefusedError(ReasonCode.serverUnavailable, 'server_unavailable', 'The connection broke.')
    // Other connections of the device may have been opened meanwhile; of those with this client id the later one wins.
    displace(parts, key)
    refuseTooMany(parts, account)
    return begin(parts, connection, { opening, kept, others, expirySeconds })
  } catch (error) {
    leaveUnused(parts, finding, expirySeconds)
    throw error
  }
}

/** A stored session that is opened later than the device waits would belong to this node for ever. */
function leaveUnused(
  { storedSessions }: GatewayParts,
  finding: ReturnType<typeof findKept>,
  expirySeconds: number,
): void {
  finding
    .then(([kept]) => kept && storedSessions.leave(kept.key, expirySeconds))
    // It expires as that of a crashed node does, and another try goes on in the background.
    .catch(() => {})
}

function displace(parts: GatewayParts, key: string): void {
  const displaced = parts.sessions.byKey.get(key)
  if (displaced)
    endConnection(parts, displaced.connection, {
      reason: 'session_taken_over',
      message: 'The device connected again with the same client id.',
    })
}

function refuseTooMany({ sessions, presence, ledger }: GatewayParts, { id, number }: Account): void {
  if ((sessions.byDevice.get(id)?.connected.size ?? 0) < MAX_SESSIONS_OF_DEVICE) return
  const message = `The device has ${MAX_SESSIONS_OF_DEVICE} connections, which is its limit.`
  presence.refused(number, 'too_many_sessions', message)
  ledger.record(number, { limit: 'sessions', outcome: 'refused' })
  throw new RefusedError(ReasonCode.quotaExceeded, 'too_many_sessions', message)
}

/** Before MQTT 5 a session is either kept, or ends with its connection. */
function requestedExpiry({ protocolVersion, clean, properties }: IConnectPacket): number {
  if (protocolVersion !== 5) return clean ? 0 : MAX_SESSION_EXPIRY_SECONDS
  return Math.min(properties?.sessionExpiryInterval ?? 0, MAX_SESSION_EXPIRY_SECONDS)
}

/** @returns the session itself, if it is to be kept, and all kept sessions of the device */
async function findKept(
  { storedSessions }: GatewayParts,
  { account, packet, clientId }: Opening,
  expirySeconds: number,
): Promise<[OpenedSession | undefined, SessionSummary[]]> {
  const clientNumber = account.number
  const others = account.hasKeptSessions ? await storedSessions.list(clientNumber) : []
  const cleanStart = packet.clean ?? true
  const exists = others.some((other) => other.clientId === clientId)
  // A session that exists is resumed, also where it is to end with this connection. [MQTT-3.1.2-5]
  if (expirySeconds > 0 || (exists && !cleanStart))
    return [await storedSessions.open({ clientNumber, clientId, cleanStart, expirySeconds }), others]
  if (!exists) return [undefined, others]
  await storedSessions.remove(clientNumber, clientId)
  return [undefined, others.filter((other) => other.clientId !== clientId)]
}

interface Beginning {
  opening: Opening
  kept: OpenedSession | undefined
  others: SessionSummary[]
  expirySeconds: number
}

function begin(
  parts: GatewayParts,
  connection: Connection,
  { opening, kept, others, expirySeconds }: Beginning,
): Session {
  const { account, credential, clientId, packet } = opening
  const session: Session = {
    clientId,
    connection,
    account,
    device: parts.sessions.byDevice.get(account.id) ?? createDeviceSessions(account.number),
    ...readCredential(opening),
    topics: ownTopics(account.id),
    subscriptions: new Map(kept?.subscriptions.map((subscription) => [subscription.filter, subscription])),
    outbox: createOutbox(),
    rateBucket: findBucket(parts, account),
    received: kept?.received.length ? new Set(kept.received) : undefined,
    stored: kept?.key,
    isResumed: kept?.isResumed ?? false,
    expirySeconds,
    will: readWill(opening),
    live: undefined as never,
  }
  session.live = createLiveSession(
    parts,
    session,
    typeof credential === 'string' ? credential : 'certificate',
  )
  connection.session = session
  connection.keepAliveMs = (packet.keepalive ?? 0) * 1000
  addSession(parts.sessions, session, others)
  parts.takeovers.announce(session)
  // Before any other message, which would have another place in the order and could take their packet identifiers.
  addStoredMessages(parts, session, kept?.messages ?? [])
  parts.ctx.liveSessions.add(account.id, session.live)
  parts.ctx.metrics.mqttConnections.inc()
  endSignIn(parts, connection)
  delayInDebt(connection, session.rateBucket)
  settleWill(parts, session)
  return session
}

function readCredential({ account, credential }: SignedIn): Pick<Session, 'keyHash' | 'certificate'> {
  if (typeof credential === 'string')
    return {
      keyHash: credential === 'primary' ? account.primaryKeyHash : account.secondaryKeyHash,
      certificate: undefined,
    }
  const { fingerprint, authorityId, notAfter } = credential
  return { keyHash: null, certificate: { fingerprint, authorityId, endMs: notAfter.getTime() } }
}

function readWill({ packet: { will }, willProperties }: Opening): Will | undefined {
  if (!will) return undefined
  return {
    topic: will.topic,
    payload: Buffer.from(will.payload),
    qos: (will.qos ?? 0) as Qos,
    retain: will.retain ?? false,
    delaySeconds: willProperties?.willDelayInterval ?? 0,
    ...(willProperties && { properties: willProperties.forwarded }),
    ...(willProperties?.messageExpiryInterval !== undefined && {
      expirySeconds: willProperties.messageExpiryInterval,
    }),
  }
}
