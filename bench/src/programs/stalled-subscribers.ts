/** Devices that subscribe to a topic of their own and stop reading, while a second session of each floods it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceKey } from '../mqtt/connection.ts'
import { connectPacket, publishPacket, subscribePacket } from '../mqtt/packets.ts'
import { ignoreInterrupt, serve } from './serve.ts'

/** More than the sockets and the session of a device hold. */
const FILL_BYTES = 8 * 1024 * 1024
/** `publishPacket` encodes lengths below 16 KiB. */
const PAYLOAD_BYTES = 8 * 1024
const LOOK_MS = 100
const MAX_MESSAGE_ID = 65_535

let sockets: Socket[] = []
let timer: NodeJS.Timeout | undefined

const handlers = {
  /**
   * @param messagesPerSecond of each device, once the subscribers hold as many bytes as fit
   * @returns then
   */
  async flood(port: number, devices: DeviceKey[], messagesPerSecond: number) {
    // QoS 0 fills the sockets, QoS 1 fills the sessions.
    for (const [index, device] of devices.entries()) await openStalled(port, device, index % 2 === 0 ? 0 : 1)
    const flooders: Flooder[] = []
    for (const device of devices) flooders.push(await openFlooder(port, device))
    await Promise.all(flooders.map(fill))
    timer = setInterval(() => {
      for (const { publish } of flooders) publish()
    }, 1000 / messagesPerSecond)
  },
  async drop() {
    clearInterval(timer)
    for (const socket of sockets) socket.resetAndDestroy()
    sockets = []
  },
}

async function openSocket(port: number, packet: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  sockets.push(socket)
  socket.write(packet)
  await once(socket, 'data')
  return socket
}

async function openStalled(port: number, { id, key }: DeviceKey, qos: 0 | 1) {
  const socket = await openSocket(port, connectPacket(id, key, { clientId: 'stalled' }))
  socket.write(subscribePacket(`devices/${id}/own`, qos))
  await once(socket, 'data')
  socket.pause()
}

interface Flooder {
  /** @returns a promise where it has to wait before the next message */
  publish(): unknown
  /** Resolves once all messages are acknowledged. */
  settled(): Promise<void>
}

const PUBACK_BYTES = 4

/** It reads its acknowledgements, and publishes also while they are missing. */
async function openFlooder(port: number, { id, key }: DeviceKey): Promise<Flooder> {
  const socket = await openSocket(port, connectPacket(id, key, { clientId: 'flooder' }))
  const payload = 'a'.repeat(PAYLOAD_BYTES)
  let sent = 0
  let acknowledgedBytes = 0
  socket.on('data', (chunk) => (acknowledgedBytes += chunk.length))
  const isSettled = () => acknowledgedBytes >= sent * PUBACK_BYTES
  return {
    publish: () =>
      socket.write(publishPacket(`devices/${id}/own`, (sent++ % MAX_MESSAGE_ID) + 1, payload)) ||
      once(socket, 'drain'),
    async settled() {
      for (; !isSettled(); await sleep(LOOK_MS))
        if (socket.destroyed) throw new Error('a device that floods was disconnected')
    },
  }
}

async function fill({ publish, settled }: Flooder) {
  for (let bytes = 0; bytes < FILL_BYTES; bytes += PAYLOAD_BYTES) await publish()
  await settled()
}

export type StalledProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
