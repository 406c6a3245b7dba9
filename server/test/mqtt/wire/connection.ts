/**
 * A connection of a device that speaks bytes. It holds every packet of the server against the rules of the standard that
 * need no context: a packet that breaks one is an error instead of a packet.
 */
import { connect as connectSocket, type Socket } from 'node:net'
import { decode, packetLength, type ServerPacket } from './decode.ts'
import { type Connect, type DevicePacket, encode, type Level } from './encode.ts'
import { WAIT_MS } from '../../wait-ms.ts'
import { findProperty } from './properties.ts'

export interface Connection {
  send(packet: DevicePacket): void
  write(bytes: Uint8Array): void
  /** The next packet, or `closed` once the server has closed the connection. */
  next(): Promise<ServerPacket | 'closed'>
  /** Breaks the connection without DISCONNECT. */
  drop(): Promise<void>
  /** Stops and resumes reading from the socket. */
  pause(): void
  resume(): void
}

export async function openConnection(port: number, level: Level): Promise<Connection> {
  const socket = connectSocket({ port, host: '127.0.0.1', noDelay: true })
  const events: (ServerPacket | 'closed' | Error)[] = []
  let wake = () => {}
  const push = (event: ServerPacket | 'closed' | Error) => {
    events.push(event)
    wake()
  }
  const rules = createRules()
  readPackets(socket, (bytes) => {
    try {
      const packet = decode(bytes, level)
      rules.check(packet, bytes.length)
      push(packet)
    } catch (error) {
      push(
        new Error(
          `The server broke a rule: ${(error as Error).message} (${bytes.toString('hex').slice(0, 200)})`,
        ),
      )
    }
  })
  socket.on('error', () => {})
  socket.once('close', () => push('closed'))
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()))

  const arrived = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('nothing came')), WAIT_MS)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  return {
    send: (packet) => {
      rules.sent(packet)
      socket.write(encode(packet, level))
    },
    write: (bytes) => void socket.write(bytes),
    next: async () => {
      if (events.length === 0) await arrived()
      const event = events[0]!
      if (event instanceof Error) throw event
      if (event !== 'closed') events.shift()
      return event
    },
    drop: async () => {
      const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
      if (socket.destroyed) return
      socket.resetAndDestroy()
      await closed
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
}

function readPackets(socket: Socket, onPacket: (bytes: Buffer) => void): void {
  let unread: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    unread = unread.length > 0 ? Buffer.concat([unread, chunk]) : chunk
    for (;;) {
      const length = packetLength(unread)
      if (length === undefined || unread.length < length) return
      onPacket(unread.subarray(0, length))
      unread = unread.subarray(length)
    }
  })
}

/** Rules that every connection keeps, in each sequence. */
function createRules() {
  let connect: Connect | undefined
  let isAccepted = false
  let isOver = false
  const unacknowledged = new Set<number>()
  const aliases = new Map<number, string>()

  const check = (packet: ServerPacket, bytes: number) => {
    if (isOver) throw new Error(`${packet.type} after DISCONNECT`)
    if (packet.type === 'connack') {
      if (isAccepted) throw new Error('a second CONNACK')
      isAccepted = packet.code === 0
      if (!isAccepted && packet.sessionPresent) throw new Error('a refusing CONNACK with Session Present')
    } else if (!isAccepted) throw new Error(`${packet.type} before CONNACK`)
    if (packet.type === 'disconnect') isOver = true
    const maximum = findProperty(connect?.properties, 'maximumPacketSize') as number | undefined
    if (maximum !== undefined && maximum > 0 && bytes > maximum)
      throw new Error(`${packet.type} of ${bytes} bytes, above the Maximum Packet Size`)
    if (
      findProperty(connect?.properties, 'requestProblemInformation') === 0 &&
      !['connack', 'publish', 'disconnect'].includes(packet.type) &&
      packet.properties.length > 0
    )
      throw new Error(`${packet.type} with properties against Request Problem Information`)
    if (packet.type === 'publish') checkPublish(packet)
  }

  const checkPublish = (packet: ServerPacket & { type: 'publish' }) => {
    const alias = findProperty(packet.properties, 'topicAlias') as number | undefined
    if (alias !== undefined) {
      const maximum = (findProperty(connect?.properties, 'topicAliasMaximum') ?? 0) as number
      if (alias === 0 || alias > maximum) throw new Error(`the topic alias ${alias} of at most ${maximum}`)
      if (packet.topic !== '') aliases.set(alias, packet.topic)
      packet.topic = aliases.get(alias) ?? ''
    }
    if (packet.topic === '') throw new Error('PUBLISH without a topic')
    if (/[+#\0]/.test(packet.topic)) throw new Error(`PUBLISH on the topic ${packet.topic}`)
    if (packet.id === undefined) return
    if (unacknowledged.has(packet.id)) throw new Error(`the packet identifier ${packet.id} is in use`)
    unacknowledged.add(packet.id)
    const maximum = (findProperty(connect?.properties, 'receiveMaximum') ?? 65_535) as number
    if (unacknowledged.size > maximum) throw new Error(`more than ${maximum} unacknowledged messages`)
  }

  const sent = (packet: DevicePacket) => {
    if (packet.type === 'connect') connect ??= packet
    const ends =
      packet.type === 'puback' ||
      packet.type === 'pubcomp' ||
      (packet.type === 'pubrec' && (packet.code ?? 0) >= 0x80)
    if (ends && 'id' in packet) unacknowledged.delete(packet.id)
  }
  return { check, sent }
}
