/** Connects the broker with the platform: accepts sockets from the listeners, reviews sessions and stops. */
import type { Socket } from 'node:net'
import type { Context } from '../context.ts'
import { acceptSocket } from './accept-socket.ts'
import { createAccountLoader } from './accounts.ts'
import { createBacklog } from './backlog.ts'
import { createBroker } from './broker.ts'
import { createDesiredSender } from './desired.ts'
import { createKeyVerifier } from './device-keys.ts'
import type { GatewayNeeds, GatewayParts } from './gateway-parts.ts'
import { createPresence } from './presence.ts'
import { reviewSessions } from './review-sessions.ts'
import { createSessionStore } from './session-store.ts'
import { createSessions } from './sessions.ts'
import { stopGateway } from './stop-gateway.ts'

export interface Gateway extends AsyncDisposable {
  accept(socket: Socket): void
  /** Ends the client's sessions if its stored account no longer allows them. */
  reviewClient(clientId: string, message?: string): Promise<void>
  /** Reviews all sessions after changes may have been missed, and sends their desired state again. */
  reviewAll(): Promise<void>
}

export async function createGateway(ctx: Context, needs: GatewayNeeds): Promise<Gateway> {
  const parts = createParts(ctx, needs)
  const { sessions, signingIn, sendDesired } = parts
  const broker = await createBroker(parts)
  return {
    accept: (socket) => acceptSocket(parts, broker, socket),
    async reviewClient(clientId, message) {
      // The account of a client that is just signing in has to be read again.
      for (const [connection, username] of signingIn) if (username === clientId) connection.isStale = true
      await reviewSessions(ctx, sessions, [clientId], message)
    },
    async reviewAll() {
      for (const connection of signingIn.keys()) connection.isStale = true
      await reviewSessions(ctx, sessions, [...sessions.byDevice.keys()])
      for (const ofDevice of sessions.byDevice.values())
        for (const { connection, filters } of ofDevice) sendDesired(connection, filters.keys())
    },
    [Symbol.asyncDispose]: () => stopGateway(parts, broker),
  }
}

function createParts(ctx: Context, { ingest, commandQueue }: GatewayNeeds): GatewayParts {
  const presence = createPresence(ctx)
  const sessions = createSessions(ctx, presence)
  return {
    ctx,
    ingest,
    commandQueue,
    presence,
    sessions,
    sessionsOf: sessions.of,
    pendingMethods: ctx.pendingMethods,
    methodRelay: ctx.methodRelay,
    backlog: createBacklog(ctx.metrics.ingestBacklog),
    store: createSessionStore(),
    loadAccount: createAccountLoader(ctx),
    findKeySlot: createKeyVerifier(),
    sendDesired: createDesiredSender(ctx),
    connections: new Set(),
    signingIn: new Map(),
    isStopping: false,
  }
}
