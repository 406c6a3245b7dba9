/** Many devices with certificates in one process: they connect over TLS at once, and resume the TLS sessions that they have. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inLanes } from '@gangway/server/dist/lib/in-lanes.js'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import { certificateConnectPacket, CONNACK, createPacketSplitter } from '../mqtt/packets.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const MAX_BACK_OFF_MS = 60_000
/**
 * Handshakes under way. The server gives up one that takes longer than 10 s, and the kernel queues 4,096 connections that
 * a server has not accepted: those beyond it are retried after 1, 3, 7, 15 s and more, which would be what is measured.
 */
const LANES = 500

interface Device {
  id: string
  certificate: string
}

let key = ''
let devices: Device[] = []
let sockets: TLSSocket[] = []
let lostAtMs: number[] = []
/** The latest TLS session of each device, by port and device id. */
const sessions = new Map<string, Buffer>()
/** Devices that resume a session need no certificate: the server has it from the session. */
const bare = createSecureContext({ minVersion: 'TLSv1.3' })

const handlers = {
  async prepare(privateKey: string, all: Device[]) {
    key = privateKey
    devices = all
  },

  /**
   * Connects all devices, one as soon as another is connected; a refused one retries with the back-off of a device.
   * @returns seconds until the last one was connected, how many resumed, and the number of failed attempts by reason
   */
  async connect(port: number) {
    const startedMs = performance.now()
    const failedAttempts: Record<string, number> = {}
    let resumed = 0
    const connectOne = async (device: Device) => {
      for (let backOffMs = 1000; ; backOffMs = Math.min(backOffMs * 2, MAX_BACK_OFF_MS)) {
        try {
          const socket = await open(port, device)
          if (socket.isSessionReused()) resumed++
          return socket
        } catch (error) {
          const { message } = error as Error
          failedAttempts[message] = (failedAttempts[message] ?? 0) + 1
          await sleep(backOffMs)
        }
      }
    }
    lostAtMs = []
    sockets = []
    await inLanes(devices, { lanes: LANES }, async (device) => void sockets.push(await connectOne(device)))
    for (const socket of sockets) socket.once('close', () => lostAtMs.push(performance.now()))
    return { seconds: (performance.now() - startedMs) / 1000, resumed, failedAttempts }
  },

  /** @returns seconds until the server has ended all connections */
  async untilAllAreLost() {
    const startedMs = performance.now()
    while (lostAtMs.length < sockets.length) await sleep(5)
    return (Math.max(startedMs, ...lostAtMs.slice(-1)) - startedMs) / 1000
  },

  async drop() {
    for (const socket of sockets) socket.destroy()
    sockets = []
  },
}

/** Resolves when the server has accepted the device, and its next TLS session is known. */
function open(port: number, { id, certificate }: Device): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const place = `${port} ${id}`
    const session = sessions.get(place)
    const secureContext = session
      ? bare
      : createSecureContext({ key, cert: certificate, minVersion: 'TLSv1.3' })
    // The certificate of the server is not what is measured.
    const socket = connect({ host: '127.0.0.1', port, session, secureContext, rejectUnauthorized: false })
    socket.setNoDelay(true)
    socket.once('secureConnect', () => socket.write(certificateConnectPacket(id)))
    socket.on('session', (fresh) => sessions.set(place, fresh))
    socket.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)))
    socket.once('close', () => reject(new Error('the server closed the connection')))
    const split = createPacketSplitter((type, bytes, bodyAt) => {
      if (type !== CONNACK) return
      if (bytes[bodyAt + 1] === 0) return resolve(socket)
      // The next attempt begins with a whole handshake.
      sessions.delete(place)
      socket.destroy()
      reject(new Error(`refused with code ${bytes[bodyAt + 1]}`))
    })
    socket.on('data', split)
  })
}

export type TlsFleetProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
