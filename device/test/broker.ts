import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { createServer as createTlsServer } from 'node:tls'
import type { AedesOptions, AedesPublishPacket } from 'aedes'
import { Aedes } from 'aedes'

interface Received {
  topic: string
  body: Record<string, unknown>
}

/** A real broker on a loopback port that records published messages. */
export interface TestBroker extends AsyncDisposable {
  port: number
  received: Received[]
  /** Publishes like the cloud, with QoS 1; resolves when the broker has accepted the message. */
  publish(topic: string, message: unknown): Promise<void>
  /** Cuts every connection and closes the port. */
  stop(): Promise<void>
}

export interface TestBrokerOptions extends AedesOptions {
  /** Default: any free port. */
  port?: number
  tls?: TlsOptions
}

export async function startBroker({
  port = 0,
  tls,
  ...options
}: TestBrokerOptions = {}): Promise<TestBroker> {
  const received: Received[] = []
  const { authorizePublish = (_client, _packet, done) => done(null) } = options
  const aedes = await Aedes.createBroker({
    ...options,
    // Recorded here, since the broker's `publish` event comes after the PUBACK.
    authorizePublish(client, packet, done) {
      authorizePublish(client, packet, (error) => {
        if (!error) received.push({ topic: packet.topic, body: JSON.parse(packet.payload.toString()) })
        done(error)
      })
    },
  })
  const server = tls
    ? createTlsServer({ ...tls, noDelay: true }, aedes.handle)
    : createServer({ noDelay: true }, aedes.handle)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(server, port)

  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= new Promise((resolve) => {
      server.close(() => aedes.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
    }))
  return {
    port: (server.address() as AddressInfo).port,
    received,
    publish: (topic, message) =>
      new Promise((resolve, reject) => {
        const payload = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
        const packet = {
          cmd: 'publish',
          topic,
          payload,
          qos: 1,
          retain: false,
          dup: false,
        } as AedesPublishPacket
        aedes.publish(packet, (error) => (error ? reject(error) : resolve()))
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
