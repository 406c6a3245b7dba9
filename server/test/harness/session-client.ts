/**
 * A device's side of an MQTT session: it keeps the packet identifiers of QoS 2 over connections, as the standards ask of
 * clients, and acknowledges only when told to.
 */
import { connect, type Socket } from 'node:net'
import { generate, type IConnackPacket, type Packet, parser } from 'mqtt-packet'
import type { TestDevice } from './gateway.ts'
import { connectPacket } from './gateway.ts'

export interface Arrival {
  topic: string
  payload: string
  qos: number
}

export interface SessionClient {
  clientId: string
  isConnected(): boolean
  /** Whether arriving messages are acknowledged; those that wait are acknowledged when this is set. */
  acknowledges(does: boolean): void
  /** @returns CONNACK, or undefined if the connection ended before it */
  connect(
    port: number,
    options: { version: 4 | 5; isKept: boolean; isClean: boolean },
  ): Promise<IConnackPacket | undefined>
  /** Sends a packet with an identifier. @returns its answer, or undefined if the connection ended before it */
  ask(packet: Packet): Promise<Packet | undefined>
  send(packet: Packet): void
  /** Cuts the connection without DISCONNECT. */
  drop(): Promise<void>
}

const answers = { publish: 'puback', subscribe: 'suback', unsubscribe: 'unsuback' } as const

export function createSessionClient(
  device: TestDevice,
  clientId: string,
  onArrival: (arrival: Arrival) => void,
): SessionClient {
  let socket: Socket | undefined
  let closed: Promise<undefined> = Promise.resolve(undefined)
  let version: 4 | 5 = 4
  let acknowledges = true
  let lastPacketId = 0
  let waiting: Packet[] = []
  const underWay = new Set<number>()
  const expected = new Map<string, (packet: Packet) => void>()

  const send = (packet: Packet) => void socket?.write(generate(packet, { protocolVersion: version }))
  const answer = (packet: Packet) => (acknowledges ? send(packet) : void waiting.push(packet))
  const expectPacket = (name: string) =>
    Promise.race([new Promise<Packet>((resolve) => void expected.set(name, resolve)), closed])

  const receive = (packet: Packet) => {
    const { cmd, messageId } = packet
    if (cmd === 'publish') {
      const { topic, payload, qos } = packet
      const isRepeat = qos === 2 && underWay.has(messageId!)
      if (qos === 2) underWay.add(messageId!)
      if (!isRepeat) onArrival({ topic, payload: payload.toString(), qos })
      if (qos > 0) answer({ cmd: qos === 1 ? 'puback' : 'pubrec', messageId } as Packet)
    } else if (cmd === 'pubrel') {
      underWay.delete(messageId!)
      answer({ cmd: 'pubcomp', messageId })
    } else {
      const name = cmd === 'connack' ? cmd : `${cmd} ${messageId}`
      expected.get(name)?.(packet)
      expected.delete(name)
    }
  }

  return {
    clientId,
    isConnected: () => socket !== undefined && !socket.destroyed,
    acknowledges(does) {
      acknowledges = does
      if (does) for (const packet of waiting.splice(0)) send(packet)
    },
    async connect(port, options) {
      version = options.version
      waiting = []
      expected.clear()
      // A session that begins has no messages under way.
      if (options.isClean) underWay.clear()
      socket = connect(port, '127.0.0.1')
      const packets = parser({ protocolVersion: version })
      packets.on('packet', receive)
      socket.on('data', (chunk) => void packets.parse(chunk))
      socket.on('error', () => {})
      const connection = socket
      closed = new Promise((resolve) => void connection.once('close', () => resolve(undefined)))
      const { isKept, isClean } = options
      send(
        connectPacket(device, {
          clientId,
          protocolVersion: version,
          clean: isClean,
          ...(version === 5 && { properties: { sessionExpiryInterval: isKept ? 3600 : 0 } }),
        }),
      )
      return (await expectPacket('connack')) as IConnackPacket | undefined
    },
    ask(packet) {
      const messageId = (lastPacketId = (lastPacketId % 65_535) + 1)
      const isExactlyOnce = packet.cmd === 'publish' && packet.qos === 2
      const name = isExactlyOnce ? 'pubrec' : answers[packet.cmd as keyof typeof answers]
      const answered = expectPacket(`${name} ${messageId}`)
      send({ ...packet, messageId } as Packet)
      if (!isExactlyOnce) return answered
      return answered.then((pubrec) => {
        if (!pubrec) return undefined
        const completed = expectPacket(`pubcomp ${messageId}`)
        send({ cmd: 'pubrel', messageId })
        // PUBREC says already that the message has arrived.
        return completed.then(() => pubrec)
      })
    },
    send,
    async drop() {
      socket?.destroy()
      await closed
    },
  }
}
