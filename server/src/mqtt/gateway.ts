/** The broker with the platform around it: each hook of aedes is a function of this room. */
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Aedes, type Client } from 'aedes'
import type { Context } from '../context.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { ClientChange } from '../providers/clients/client-changes.ts'
import { createAccountLoader } from './accounts.ts'
import { authorizeSubscription } from './authorize-subscription.ts'
import { createBacklog } from './backlog.ts'
import { type Connection, type DeviceClient, endConnection } from './connection.ts'
import { createDesiredSender } from './desired.ts'
import { createKeyVerifier } from './device-keys.ts'
import { endingOf, endingOfClosed } from './disconnect-reason.ts'
import { createPacketGate } from './packet-gate.ts'
import { createPresence } from './presence.ts'
import { acceptPublish, hasReceiver, type PublishParts } from './publish.ts'
import { reviewSessions } from './review-sessions.ts'
import { createSessionStore } from './session-store.ts'
import { admit, createSessions, leave } from './sessions.ts'
import { type RefusedError, signIn } from './sign-in.ts'
import { MAX_TOPIC_LEVELS } from './topics.ts'

/** Of sockets that have not signed in. All devices of an installation may come at once. */
const MAX_SIGNING_IN = 20_000
const SIGN_IN_TIMEOUT_MS = 10_000
/** How long a stop waits for messages to be stored, and for sockets to take their last acknowledgements. */
const STOP_MS = 10_000
const LAST_WORDS_MS = 1000

export interface Gateway extends AsyncDisposable {
  accept(socket: Socket): void
  /** A client changed: whoever is just signing in has to be looked up again. */
  noteChange(change: ClientChange): void
  /** Brings all sessions in line with what is on record. */
  review(): Promise<void>
}

export async function createGateway(ctx: Context, ingest: Ingest): Promise<Gateway> {
  const presence = createPresence(ctx)
  const backlog = createBacklog(ctx.metrics.ingestBacklog)
  const store = createSessionStore()
  const sessions = createSessions(ctx, presence)
  const signInParts = { loadAccount: createAccountLoader(ctx.pool), findKeySlot: createKeyVerifier(), presence }
  const publishParts: PublishParts = { ingest, backlog, store, pendingMethods: ctx.pendingMethods, sessionsOf: sessions.of }
  const sendDesired = createDesiredSender(ctx)
  const connections = new Set<Connection>()
  const signingIn = new Map<Connection, string | undefined>()
  let isStopping = false

  const broker = await Aedes.createBroker({
    persistence: store,
    connectTimeout: SIGN_IN_TIMEOUT_MS,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    // MQTT 3.1 devices use their id as client id, too, however long it is.
    maxClientsIdLength: 65_535,
    preConnect(client, packet, done) {
      const { clientId = '', clean = true, protocolVersion = 4, will } = packet
      connectionOf(client).request = { clientId, clean, protocolVersion, will: will as Connection['request']['will'] }
      done(null, true)
    },
    authenticate(client, username, password, done) {
      authenticate(client as DeviceClient, username, password).then(
        () => done(null, true),
        (error: RefusedError) => done(error, null),
      )
    },
    authorizePublish: (client, packet, done) =>
      client ? acceptPublish(publishParts, connectionOf(client), packet, done) : done(new Error('no client')),
    authorizeSubscribe: (client, subscription, done) =>
      done(null, authorizeSubscription(connectionOf(client), presence, subscription)),
  })

  async function authenticate(client: DeviceClient, username: string | undefined, password: Buffer | undefined) {
    const { connection } = client
    signingIn.set(connection, username)
    try {
      for (;;) {
        connection.isStale = false
        const signedIn = await signIn(signInParts, connection.request, username, password)
        if (connection.isStale) continue
        signingIn.delete(connection)
        store.adopt(signedIn.account)
        return admit(sessions, client, signedIn)
      }
    } catch (error) {
      ctx.metrics.mqttRefusals.inc({ reason: `connack_${(error as RefusedError).returnCode}` })
      throw error
    }
  }

  const fanOut = broker.publish.bind(broker) as BrokerPublish
  const publish: BrokerPublish = (packet, client, done) => {
    if (typeof client === 'function') return publish(packet, null, client)
    const session = client && connectionOf(client).session
    // News of the broker about itself go to nobody: devices have no access to $SYS. [contract §6]
    if (!session || !hasReceiver(publishParts, session.account.id, packet)) return done?.()
    fanOut(packet, client, done)
  }
  broker.publish = publish as typeof broker.publish

  broker.on('connackSent', ({ returnCode }, client) => {
    const { connection } = client as DeviceClient
    if (returnCode !== 0 || !connection.session) return
    connection.isLive = true
    presence.connected(connection.session.account.number, connection.remoteAddress)
    connection.gate.open()
    // Of a stored session.
    sendDesired(connection, connection.session.filters.keys())
  })
  broker.on('subscribe', (subscriptions, client) =>
    sendDesired(connectionOf(client), subscriptions.filter(({ qos }) => qos < 128).map(({ topic }) => topic)),
  )
  broker.on('unsubscribe', (filters, client) => {
    for (const filter of filters) connectionOf(client).session?.filters.delete(filter)
  })
  broker.on('clientError', (client, error) => {
    const { connection } = client as DeviceClient
    connection.ending ??= endingOf(connection, error)
  })

  const accept = (socket: Socket) => {
    if (isStopping || signingIn.size >= MAX_SIGNING_IN) return void socket.destroy()
    const connection: Connection = {
      socket,
      remoteAddress: socket.remoteAddress ?? '',
      request: { clientId: '', clean: true, protocolVersion: 4, will: undefined },
      session: undefined,
      isLive: false,
      isStale: false,
      ending: undefined,
      waitingMessages: 0,
      waitingBytes: 0,
      gate: createPacketGate(socket, {
        mayRead: () => !isStopping && backlog.mayRead(connection),
        onBreach: (breach, message) => endConnection(connection, breach, message),
      }),
    }
    connections.add(connection)
    signingIn.set(connection, undefined)
    socket.once('close', () => {
      connections.delete(connection)
      signingIn.delete(connection)
      backlog.forget(connection)
      connection.ending ??= endingOfClosed(connection)
      leave(sessions, connection)
    })
    Object.assign(broker.handle(socket), { connection })
  }

  const stop = async () => {
    isStopping = true
    await Promise.race([ingest.settled(), sleep(STOP_MS, undefined, { ref: false })])
    // The acknowledgements are written in the turns after.
    await nextTurn()
    await nextTurn()
    const closed = [...connections].map((connection) => sayGoodbye(connection))
    await Promise.all(closed)
    await new Promise<void>((resolve) => broker.close(resolve))
    // Wills were published meanwhile.
    await Promise.race([ingest.settled(), sleep(STOP_MS, undefined, { ref: false })])
    await presence[Symbol.asyncDispose]()
  }

  return {
    accept,
    noteChange({ clientId }) {
      for (const [connection, username] of signingIn) if (username === clientId) connection.isStale = true
    },
    review: () => reviewSessions(ctx.pool, sessions, sendDesired),
    [Symbol.asyncDispose]: stop,
  }
}

type BrokerPublish = (
  packet: Parameters<Aedes['publish']>[0],
  client: Client | null | ((error?: Error) => void),
  done?: (error?: Error) => void,
) => void

const connectionOf = (client: Client) => (client as DeviceClient).connection

async function sayGoodbye(connection: Connection) {
  const { socket } = connection
  connection.ending ??= { reason: 'server_stopped', message: 'The server stopped.' }
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  if (socket.destroyed) return socket.closed ? undefined : closed
  socket.destroySoon()
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS_MS)
  await closed
  clearTimeout(timer)
}
