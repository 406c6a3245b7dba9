/** Devices that subscribe to a topic of their own and stop reading, while a second session of each floods it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { DeviceKey } from '../mqtt/connection.ts'
import { connectPacket, publishPacket, subscribePacket } from '../mqtt/packets.ts'
import { ignoreInterrupt, serve } from './serve.ts'

/** More than the sockets and the session of a device hold. */
const FILL_BYTES = 8 * 1024 * 1024
/** `publishPacket` encodes lengths below 16 KiB. */
const FILL_PAYLOAD_BYTES = 8 * 1024
const TICK_MS = 100
const MAX_MESSAGE_ID = 65_535

let sockets: Socket[] = []
let timer: NodeJS.Timeout | undefined

const handlers = {
  /** @returns once the subscribers hold as many bytes as fit, and the flood goes on at the given rate */
  async flood(port: number, devices: DeviceKey[], messagesPerSecond: number) {
    for (const device of devices) await openStalled(port, device)
    const flooders: Flooder[] = []
    for (const device of devices) flooders.push(await openFlooder(port, device))
    await Promise.all(flooders.map(({ publish }) => fill(publish)))
    timer = setInterval(() => {
      for (const { publish } of flooders)
        for (let count = 0; count < (messagesPerSecond * TICK_MS) / 1000; count++) publish(FILL_PAYLOAD_BYTES)
    }, TICK_MS)
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

async function openStalled(port: number, { id, key }: DeviceKey) {
  const socket = await openSocket(port, connectPacket(id, key, { clientId: 'stalled' }))
  socket.write(subscribePacket(`devices/${id}/own`))
  await once(socket, 'data')
  socket.pause()
}

interface Flooder {
  /** @returns a promise where it has to wait before the next message */
  publish(bytes: number): unknown
}

/** It reads its acknowledgements, and publishes also while they are missing. */
async function openFlooder(port: number, { id, key }: DeviceKey): Promise<Flooder> {
  const socket = await openSocket(port, connectPacket(id, key, { clientId: 'flooder' }))
  socket.resume()
  let sent = 0
  return {
    publish: (bytes: number) =>
      socket.write(publishPacket(`devices/${id}/own`, (sent++ % MAX_MESSAGE_ID) + 1, 'a'.repeat(bytes))) ||
      once(socket, 'drain'),
  }
}

async function fill(publish: (bytes: number) => unknown) {
  for (let bytes = 0; bytes < FILL_BYTES; bytes += FILL_PAYLOAD_BYTES) await publish(FILL_PAYLOAD_BYTES)
}

export type StalledProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
