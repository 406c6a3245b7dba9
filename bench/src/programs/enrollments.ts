/** Devices that enrol over TLS. */
import { once } from 'node:events'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import { isWholeAnswer } from '../http/is-whole-answer.ts'
import { makeCertificateRequest } from '../platform/certificate-request.ts'
import { ignoreInterrupt, serve } from './serve.ts'

export interface Sent {
  perSecond: number
  /** CPU time of this process. */
  cpuSeconds: number
}

interface Device {
  authorization: string
  body: string
}

/** The devices verify nothing: the certificate of the server is not what is measured. */
const secureContext = createSecureContext({ ca: [], minVersion: 'TLSv1.3' })
let prepared: Device[] = []
let kept: TLSSocket[] = []

const handlers = {
  /** Makes a new key and a request for each device, outside of the measurement. */
  async prepare(deviceIds: string[], bootstrapKey: string) {
    prepared = deviceIds.map((id) => ({
      authorization: `Basic ${Buffer.from(`${id}:${bootstrapKey}`).toString('base64')}`,
      body: makeCertificateRequest().toString('base64'),
    }))
  },

  /** Opens the connections that `sendOnKept` uses. */
  async open(url: string, connections: number) {
    kept = await Promise.all(Array.from({ length: connections }, () => open(url)))
  },

  /** Sends the prepared requests over the kept connections. @throws for an answer other than 200 */
  async sendOnKept(url: string) {
    const sent = await sendAll(kept.length, (device, lane) => send(kept[lane]!, url, device))
    for (const socket of kept) socket.destroy()
    return sent
  },

  /** Sends each of the prepared requests over a connection of its own. @throws for an answer other than 200 */
  sendOnNew: (url: string, lanes: number) =>
    sendAll(lanes, async (device) => {
      const socket = await open(url)
      await send(socket, url, device)
      socket.destroy()
    }),
}

export type EnrollmentsProgram = typeof handlers

async function sendAll(
  lanes: number,
  work: (device: Device, lane: number) => Promise<unknown>,
): Promise<Sent> {
  const left = prepared.values()
  const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()]
  const inLane = async (_: unknown, lane: number) => {
    for (const device of left) await work(device, lane)
  }
  await Promise.all(Array.from({ length: lanes }, inLane))
  const { user, system } = process.cpuUsage(startedCpu)
  return {
    perSecond: prepared.length / ((performance.now() - startedMs) / 1000),
    cpuSeconds: (user + system) / 1e6,
  }
}

/** With a whole handshake: no session is resumed. */
async function open(url: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), secureContext, rejectUnauthorized: false })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  return socket
}

function send(socket: TLSSocket, url: string, { authorization, body }: Device): Promise<void> {
  const { host, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    let received = ''
    const end = () => reject(new Error('the server closed a connection'))
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!isWholeAnswer(received)) return
      socket.off('data', read).off('error', reject).off('close', end)
      if (received.startsWith('HTTP/1.1 200 ')) return resolve()
      reject(new Error(`answered: ${received.slice(0, 500)}`))
    }
    socket.on('data', read).on('error', reject).on('close', end)
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n` +
        `content-type: application/pkcs10\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  })
}

ignoreInterrupt()
serve(handlers)
