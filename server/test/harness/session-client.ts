/**
 * A device's side of an MQTT session, as the standards ask of clients: it keeps the packet identifiers of QoS 2 over
 * connections, and sends again what was not acknowledged. It acknowledges only when told to.
 */
import { connect, type Socket } from 'node:net'
import { generate, type IConnackPacket, type IPublishPacket, type Packet, parser } from 'mqtt-packet'
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
  /** Sends SUBSCRIBE or UNSUBSCRIBE. @returns its answer, or undefined if the connection ended before it */
  ask(packet: Packet): Promise<Packet | undefined>
  /** @param onAcknowledged called once the message is acknowledged, on this connection or a later one of the session */
  publish(packet: IPublishPacket, onAcknowledged: () => void): void
  /** Resolves once all messages are acknowledged, or with the connection. */
  settled(): Promise<void>
  send(packet: Packet): void
  /** Cuts the connection without DISCONNECT. */
  drop(): Promise<void>
}

interface Outgoing {
  packet: IPublishPacket & { messageId: number }
  /** PUBREC has arrived. */
  isReceived: boolean
  onAcknowledged(): void
}

const answers = { subscribe: 'suback', unsubscribe: 'unsuback' } as const

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
  const outgoing = new Map<number, Outgoing>()
  let onSettled = () => {}

  const send = (packet: Packet) => void socket?.write(generate(packet, { protocolVersion: version }))
  const answer = (packet: Packet) => (acknowledges ? send(packet) : void waiting.push(packet))
  const expectPacket = (name: string) =>
    Promise.race([new Promise<Packet>((resolve) => void expected.set(name, resolve)), closed])

  const nextPacketId = () => (lastPacketId = (lastPacketId % 65_535) + 1)

  const receiveAcknowledgement = (cmd: 'puback' | 'pubrec' | 'pubcomp', messageId: number) => {
    const message = outgoing.get(messageId)
    // PUBREC says already that the message has arrived.
    if (cmd !== 'pubcomp') message?.onAcknowledged()
    if (cmd === 'pubrec') {
      if (message) message.isReceived = true
      return send({ cmd: 'pubrel', messageId })
    }
    outgoing.delete(messageId)
    if (outgoing.size === 0) onSettled()
  }

  const sendAgain = () => {
    for (const { packet, isReceived } of outgoing.values())
      if (isReceived) send({ cmd: 'pubrel', messageId: packet.messageId })
      else send({ ...packet, dup: true })
  }

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
    } else if (cmd === 'puback' || cmd === 'pubrec' || cmd === 'pubcomp') {
      receiveAcknowledgement(cmd, messageId!)
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
      const connection = socket
      // A device that connects again does not read its former connection any more.
      packets.on('packet', (packet) => connection === socket && receive(packet))
      socket.on('data', (chunk) => void packets.parse(chunk))
      socket.on('error', () => {})
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
      const connack = (await expectPacket('connack')) as IConnackPacket | undefined
      if (connack?.sessionPresent) sendAgain()
      else if (connack) outgoing.clear()
      return connack
    },
    ask(packet) {
      const messageId = nextPacketId()
      const answered = expectPacket(`${answers[packet.cmd as keyof typeof answers]} ${messageId}`)
      send({ ...packet, messageId } as Packet)
      return answered
    },
    publish(packet, onAcknowledged) {
      const withId = { ...packet, messageId: nextPacketId() }
      outgoing.set(withId.messageId, { packet: withId, isReceived: false, onAcknowledged })
      send(withId)
    },
    async settled() {
      if (outgoing.size === 0) return
      await Promise.race([new Promise<void>((resolve) => void (onSettled = resolve)), closed])
    },
    send,
    async drop() {
      socket?.destroy()
      await closed
    },
  }
}
