/** Connects aedes to our functions. aedes speaks the protocol, and our functions make the decisions. */
import { Aedes, type Client } from 'aedes'
import { authenticate } from './authenticate.ts'
import { authorizeSubscription } from './authorize-subscription.ts'
import { sendQueuedCommands } from './commands.ts'
import type { Connection, DeviceClient } from './connection.ts'
import { endingOf } from './disconnect-reason.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { acceptPublish, hasReceiver } from './publish.ts'
import type { RefusedError } from './sign-in.ts'
import { MAX_TOPIC_LEVELS } from './topics.ts'

const SIGN_IN_TIMEOUT_MS = 10_000

export async function createBroker(parts: GatewayParts): Promise<Aedes> {
  const broker = await Aedes.createBroker({
    persistence: parts.store,
    connectTimeout: SIGN_IN_TIMEOUT_MS,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    // MQTT 3.1 devices also use their id as client id, however long it is.
    maxClientsIdLength: 65_535,
    preConnect(client, packet, done) {
      const { clientId = '', clean = true, will } = packet
      connectionOf(client).request = { clientId, clean, will: will as Connection['request']['will'] }
      // Not authenticated yet: until then the broker knows the connection by a client id that it generates.
      packet.clientId = ''
      done(null, true)
    },
    authenticate(client, username, password, done) {
      authenticate(parts, client as DeviceClient, username, password).then(
        () => done(null, true),
        (error: RefusedError) => done(error, null),
      )
    },
    // The broker calls this before the acknowledgement, which waits for the result.
    authorizePublish: (client, packet, done) =>
      client ? acceptPublish(parts, connectionOf(client), packet, done) : done(new Error('no client')),
    authorizeSubscribe: (client, subscription, done) =>
      done(null, authorizeSubscription(parts, connectionOf(client), subscription)),
  })
  limitFanOut(parts, broker)
  listenTo(parts, broker)
  return broker
}

const connectionOf = (client: Client) => (client as DeviceClient).connection

type Publish = (
  packet: Parameters<Aedes['publish']>[0],
  client: Client | null | ((error?: Error) => void),
  done?: (error?: Error) => void,
) => void

/** Most messages are for the platform alone, which has received them already, so they skip the fan-out of the broker. */
function limitFanOut(parts: GatewayParts, broker: Aedes): void {
  const fanOut = broker.publish.bind(broker) as Publish
  const publish: Publish = (packet, client, done) => {
    if (typeof client === 'function') return publish(packet, null, client)
    const session = client && connectionOf(client).session
    // Messages of the broker about itself have no client and are not published: `$SYS` is closed. [docs/mqtt#access-rule]
    if (session && hasReceiver(parts, session.account.id, packet)) fanOut(packet, client, done)
    else done?.()
  }
  broker.publish = publish as typeof broker.publish
}

function listenTo({ commandQueue, presence, sendDesired }: GatewayParts, broker: Aedes): void {
  broker.on('connackSent', ({ returnCode }, client) => {
    const connection = connectionOf(client)
    if (returnCode !== 0 || !connection.session) return
    connection.isLive = true
    presence.connected(connection.session.account.number, connection.remoteAddress)
    connection.gate.open()
    // The filters are those of a stored session.
    sendDesired(connection, connection.session.filters.keys())
    sendQueuedCommands(commandQueue, connection, connection.session.filters.keys())
  })
  broker.on('subscribe', (subscriptions, client) => {
    const granted = subscriptions.filter(({ qos }) => qos < 128).map(({ topic }) => topic)
    sendDesired(connectionOf(client), granted)
    sendQueuedCommands(commandQueue, connectionOf(client), granted)
  })
  broker.on('unsubscribe', (filters, client) => {
    for (const filter of filters) connectionOf(client).session?.filters.delete(filter)
  })
  broker.on('clientError', (client, error) => {
    const connection = connectionOf(client)
    connection.ending ??= endingOf(connection, error)
  })
}
