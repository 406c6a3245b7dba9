/** Connects the gateway with the platform: accepts connections from the listeners, reviews sessions and stops. */
import type { Duplex } from 'node:stream'
import type { Context } from '../context.ts'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { CertificateChange } from '../onboarding/certificates/revocation/certificate-changes.ts'
import { createAccountLoader } from './authentication/accounts.ts'
import { createCertificateLoader } from './authentication/certificates.ts'
import { createKeyVerifier } from './authentication/device-keys.ts'
import { createFirstConnections } from './authentication/first-connections.ts'
import { reviewCertificates, reviewSessions } from './authentication/review-sessions.ts'
import { acceptConnection } from './connection/accept-connection.ts'
import { createBacklog } from './connection/backlog.ts'
import { serverLimits, type ServerLimits } from './connection/limits.ts'
import { createPacketParser } from './connection/parse-packet.ts'
import { watchConnections } from './connection/watch-connections.ts'
import type { GatewayNeeds, GatewayParts } from './gateway-parts.ts'
import { createAddresses } from './limits/addresses.ts'
import { createLedger } from './limits/ledger.ts'
import { createDesiredSender } from './sessions/desired.ts'
import { endOlder } from './sessions/end-older.ts'
import { leaveSession } from './sessions/leave-session.ts'
import { createPresence } from './sessions/presence.ts'
import { recordRestored } from './sessions/record-connected.ts'
import { createSessions } from './sessions/sessions.ts'
import { syncStoredSessions } from './sessions/sync-stored-sessions.ts'
import { createStoredSessions } from './sessions/stored/create-stored-sessions.ts'
import { createTakeovers } from './sessions/takeovers.ts'
import { endStreams, handOverDevices, stopGateway } from './stop-gateway.ts'

/** A device that was forgotten begins with a full bucket. */
const MAX_LEFT_BUCKETS = 20_000

export interface Gateway extends AsyncDisposable {
  /** @param stream its half-open state must be allowed, so that what arrived before its end is read */
  accept(stream: Duplex, remoteAddress: string | undefined): void
  /**
   * Accepts no connections any more, and ends those that are open once what arrived on them is stored and acknowledged:
   * within 10 s, or so much longer than `spreadMs`, over which the ends of many connections are spread. Called again, it
   * waits for the same.
   */
  handOver(spreadMs?: number): Promise<void>
  /** Ends the connections of some streams once what arrived on them is stored and acknowledged. */
  endStreams(streams: ReadonlySet<Duplex>): Promise<void>
  /** Ends the client's sessions if its stored account no longer allows them. */
  reviewClient(clientId: string, message?: string): Promise<void>
  /** Ends the sessions whose certificates were revoked. */
  reviewCertificates(change: CertificateChange): Promise<void>
  /** Reviews all sessions after changes may have been missed, and sends their desired state again. */
  reviewAll(): Promise<void>
}

export function createGateway(ctx: Context, needs: GatewayNeeds, limits = serverLimits): Gateway {
  const parts = createParts(ctx, needs, limits)
  const { sessions, signingIn, sendDesired } = parts
  const watch = watchConnections(parts)
  ctx.nodes.liveness.onRevived.push(() => parts.presence.restore(sessions.deviceIds.keys()))
  let handedOver: Promise<void> | undefined
  const handOver = (spreadMs = 0) => (handedOver ??= handOverDevices(parts, spreadMs))
  return {
    handOver,
    accept: (stream, remoteAddress) => acceptConnection(parts, stream, remoteAddress),
    endStreams: (streams) => endStreams(parts, streams),
    async reviewClient(clientId, message) {
      // The account of a client that is just signing in has to be read again.
      for (const connection of signingIn) if (connection.username === clientId) connection.isStale = true
      await reviewSessions(ctx, sessions, [clientId], message)
    },
    async reviewCertificates(change) {
      for (const connection of signingIn)
        if (!change.deviceIds || change.deviceIds.includes(connection.username!)) connection.isStale = true
      await reviewCertificates(ctx, sessions, change)
    },
    async reviewAll() {
      for (const connection of signingIn) connection.isStale = true
      await reviewSessions(ctx, sessions, [...sessions.byDevice.keys()])
      for (const { connected } of sessions.byDevice.values())
        for (const session of connected) sendDesired(session, session.subscriptions.keys())
    },
    [Symbol.asyncDispose]: async () => {
      await handOver()
      watch[Symbol.dispose]()
      await stopGateway(parts)
    },
  }
}

function createParts(
  ctx: Context,
  { ingest, commandQueue }: GatewayNeeds,
  limits: ServerLimits,
): GatewayParts {
  const parts: GatewayParts = {
    ctx,
    ingest,
    commandQueue,
    parser: createPacketParser(),
    presence: createPresence(ctx, (clientNumber) => recordRestored(parts, clientNumber)),
    ledger: createLedger(ctx),
    backlog: createBacklog(ctx.metrics.ingestBacklog, limits),
    limits,
    sessions: createSessions(),
    storedSessions: createStoredSessions(
      ctx,
      syncStoredSessions(() => parts),
    ),
    takeovers: createTakeovers(ctx, {
      onBegan: (announcement, newer) => endOlder(parts, announcement, newer),
      listSessions: () => parts.sessions.byKey.values(),
    }),
    pendingWills: new Map(),
    delayedWills: new Map(),
    publishingWills: new Set(),
    loadAccount: createAccountLoader(ctx),
    findKeySlot: createKeyVerifier(),
    loadCertificate: createCertificateLoader(ctx),
    recordFirstConnection: createFirstConnections(ctx),
    leaveSession: (session, ending) => leaveSession(parts, session, ending),
    sendDesired: createDesiredSender(ctx),
    addresses: createAddresses(),
    leftBuckets: createBoundedCache(MAX_LEFT_BUCKETS),
    connections: new Set(),
    signingIn: new Set(),
    partialBytes: 0,
    outboxBytes: 0,
    isStopping: false,
  }
  return parts
}
