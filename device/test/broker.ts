/** A small MQTT 3.1.1 broker on `mqtt-packet`, with as much of the protocol as the device SDK uses. */
import type { X509Certificate } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions, TLSSocket } from 'node:tls'
import {
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
  parser,
} from 'mqtt-packet'

interface Received {
  topic: string
  body: Record<string, unknown>
}

/** A real broker on a loopback port that records published messages. */
export interface TestBroker extends AsyncDisposable {
  port: number
  received: Received[]
  /** Publishes like the cloud, with QoS 1; resolves when the message was sent to its subscribers. */
  publish(topic: string, message: unknown): Promise<void>
  /** Cuts every connection and closes the port. */
  stop(): Promise<void>
}

export interface TestBrokerOptions {
  /** Default: any free port. */
  port?: number
  tls?: TlsOptions
  /** @returns the code of CONNACK; undefined sends none */
  authenticate?(
    login: Pick<IConnectPacket, 'clientId' | 'username' | 'password'>,
    /** The client's certificate. */
    certificate: X509Certificate | undefined,
  ): number | undefined
  /** @returns whether the message is recorded and acknowledged; otherwise it is lost */
  takesMessage?(payload: string): boolean
  refusesSubscriptions?: boolean
}

interface Broker extends TestBrokerOptions {
  received: Received[]
  clients: Set<Client>
}

interface Client {
  socket: Socket
  filters: Set<string>
  lastPacketId: number
}

export async function startBroker(options: TestBrokerOptions = {}): Promise<TestBroker> {
  const { port = 0, tls } = options
  const broker: Broker = { ...options, received: [], clients: new Set() }
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => serve(broker, socket)
  const server = tls
    ? createTlsServer({ ...tls, noDelay: true }, accept)
    : createServer({ noDelay: true }, accept)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(server, port)

  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    }))
  return {
    port: (server.address() as AddressInfo).port,
    received: broker.received,
    publish: async (topic, message) =>
      publish(broker, topic, typeof message === 'string' ? message : JSON.stringify(message)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function serve(broker: Broker, socket: Socket): void {
  const client: Client = { socket, filters: new Set(), lastPacketId: 0 }
  const packets = parser({ protocolVersion: 4 })
  packets.on('packet', (packet) => handle(broker, client, packet))
  packets.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => void packets.parse(chunk))
  socket.on('error', () => {})
  socket.on('close', () => broker.clients.delete(client))
}

function handle(broker: Broker, client: Client, packet: Packet): void {
  switch (packet.cmd) {
    case 'connect':
      return connect(broker, client, packet)
    case 'publish':
      return take(broker, client, packet)
    case 'subscribe':
      return subscribe(broker, client, packet)
    case 'pingreq':
      return send(client, { cmd: 'pingresp' })
    case 'disconnect':
      client.socket.end()
  }
}

function connect(broker: Broker, client: Client, packet: IConnectPacket): void {
  const { socket } = client
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  const returnCode = broker.authenticate ? broker.authenticate(packet, certificate) : 0
  if (returnCode === undefined) return
  send(client, { cmd: 'connack', returnCode, sessionPresent: false })
  if (returnCode === 0) broker.clients.add(client)
  else client.socket.end()
}

function take(broker: Broker, client: Client, { topic, payload, qos, messageId }: IPublishPacket): void {
  const text = payload.toString()
  if (broker.takesMessage?.(text) === false) return
  broker.received.push({ topic, body: JSON.parse(text) })
  publish(broker, topic, text)
  if (qos === 1) send(client, { cmd: 'puback', messageId: messageId! })
}

function subscribe(
  { refusesSubscriptions = false }: Broker,
  client: Client,
  { subscriptions, messageId }: ISubscribePacket,
): void {
  if (!refusesSubscriptions) for (const { topic } of subscriptions) client.filters.add(topic)
  send(client, {
    cmd: 'suback',
    messageId: messageId!,
    granted: subscriptions.map(() => (refusesSubscriptions ? 0x80 : 1)),
  })
}

function publish({ clients }: Broker, topic: string, payload: string): void {
  for (const client of clients) {
    if (![...client.filters].some((filter) => matches(filter, topic))) continue
    client.lastPacketId = (client.lastPacketId % 65_535) + 1
    const flags = { qos: 1, retain: false, dup: false } as const
    send(client, { cmd: 'publish', topic, payload, messageId: client.lastPacketId, ...flags })
  }
}

/** The device SDK uses no other wildcard than `+`. */
function matches(filter: string, topic: string): boolean {
  const levels = topic.split('/')
  const pattern = filter.split('/')
  return (
    pattern.length === levels.length &&
    pattern.every((level, index) => level === '+' || level === levels[index])
  )
}

const send = ({ socket }: Client, packet: Packet): void => {
  if (socket.writable) socket.write(generate(packet))
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
