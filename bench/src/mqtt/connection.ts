/** The MQTT connection of a device: a bare socket, so that thousands of them need little processor time. */
import { createConnection } from 'node:net'
import {
  CONNACK,
  connectPacket,
  createPacketSplitter,
  PUBACK,
  publishPacket,
  type SessionOptions,
} from './packets.ts'

const MAX_MESSAGE_ID = 65_535

export interface DeviceKey {
  id: string
  key: string
}

export interface ConnectionOptions extends SessionOptions {
  /** Signals of a message; three without it. */
  signals?: number
  /** The one signal is the time at which it is sent, in microseconds of a clock that all processes of the machine share. */
  isTimed?: boolean
}

export interface Connection {
  /** Publishes a message. @returns the message id */
  sendTelemetry(): number
  /** Combines writes until `uncork`. */
  cork(): void
  uncork(): void
  onPuback: (messageId: number) => void
  /** Called once when the connection ends other than by `drop`. */
  onLost: (reason: string) => void
  /** Cuts the connection without DISCONNECT, like a power failure. */
  drop(): void
}

/** Resolves when the server has accepted the connection. @throws if it refuses or the connection fails */
export function openConnection(
  port: number,
  { id, key }: DeviceKey,
  { signals, isTimed = false, ...session }: ConnectionOptions = {},
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true })
    const topic = `devices/${id}/telemetry`
    const makePayload = isTimed
      ? makeTimed
      : signals === undefined
        ? makeThreeSignals
        : createPayloads(signals)
    let sent = 0
    const connection: Connection = {
      sendTelemetry() {
        const messageId = (sent++ % MAX_MESSAGE_ID) + 1
        socket.write(publishPacket(topic, messageId, makePayload(sent)))
        return messageId
      },
      cork: () => socket.cork(),
      uncork: () => socket.uncork(),
      onPuback: () => {},
      onLost: () => {},
      drop() {
        connection.onLost = () => {}
        // A reset leaves no port in TIME_WAIT; the next round needs these ports.
        socket.resetAndDestroy()
      },
    }
    const lost = (reason: string) => {
      reject(new Error(reason))
      connection.onLost(reason)
    }
    socket.once('connect', () => socket.write(connectPacket(id, key, session)))
    socket.on('error', (error: NodeJS.ErrnoException) => lost(error.code ?? error.message))
    socket.on('close', () => lost('the server closed the connection'))
    const split = createPacketSplitter((type, bytes, bodyAt) => {
      if (type === PUBACK) connection.onPuback(bytes.readUInt16BE(bodyAt))
      else if (type === CONNACK && bytes[bodyAt + 1] === 0) resolve(connection)
      else if (type === CONNACK) lost(`refused with code ${bytes[bodyAt + 1]}`)
    })
    socket.on('data', (chunk) => {
      socket.cork()
      split(chunk)
      socket.uncork()
    })
  })
}

/** Payloads differ: an equal one with the same packet identifier would count as a duplicate. */
const makeThreeSignals = (count: number) =>
  `{"temperature":${20 + (count % 100) / 10},"pressure":${1000 + (count % 977)},"operatingSeconds":${count}}`

const makeTimed = () => `{"sentMicros":${process.hrtime.bigint() / 1000n}}`

function createPayloads(signals: number): (count: number) => string {
  const names = Array.from({ length: signals }, (_, index) => `signal${index}`)
  return (count) =>
    `{"count":${count},${names
      .slice(1)
      .map((name, index) => `"${name}":${20 + ((count + index) % 100) / 10}`)
      .join()}}`
}
