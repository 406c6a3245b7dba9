/** Runs a case against a server. Nothing that the server answers is an error here. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { FuzzCase, Script, Transport } from './make-case.ts'
import { answerFrame, createFrameReader } from './web-socket.ts'

/** The time that the server has for an answer, or for closing; many cases expect neither. */
const ANSWER_MS = 250
const LEFT_MS = 150

export type Ports = Record<Transport, number>

/** Resolves when all connections of the case are closed. */
export async function runCase(ports: Ports, { connections }: FuzzCase): Promise<void> {
  await Promise.all(connections.map((script) => runScript(ports, script)))
}

function open(ports: Ports, transport: Transport): Socket {
  const port = ports[transport]
  const options = { port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }
  return transport === 'tls' ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
}

async function runScript(ports: Ports, script: Script): Promise<void> {
  const { transport } = script
  const socket = open(ports, transport)
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.on('error', () => {})
  try {
    await once(socket, transport === 'tls' ? 'secureConnect' : 'connect')
  } catch {
    return
  }
  if (script.handshake) {
    socket.write(script.handshake)
    // The answer is short, and arrives in one piece.
    await Promise.race([once(socket, 'data'), closed, sleep(ANSWER_MS)]).catch(() => {})
  }
  if (script.reads === 'stalled') socket.pause()
  else read(socket, script)
  const answered = Promise.race([once(socket, 'data'), closed, sleep(ANSWER_MS)]).catch(() => {})
  await write(socket, script.opening)
  if (script.waitsForAnswer && script.reads !== 'stalled') await answered
  await write(socket, script.chunks)
  await end(socket, script, closed)
}

async function write(socket: Socket, chunks: Buffer[]): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    if (!socket.writable) return
    socket.write(chunk)
    // Chunks of one turn would arrive together.
    if (index % 4 === 0) await sleep(0)
  }
}

async function end(socket: Socket, { end: way, transport }: Script, closed: Promise<void>): Promise<void> {
  // Node resets plain sockets only.
  const reset = () => (transport === 'tls' ? socket.destroy() : socket.resetAndDestroy())
  if (way === 'reset') reset()
  else if (way === 'half') socket.end()
  if (way === 'half' || way === 'left') await Promise.race([closed, sleep(LEFT_MS)])
  if (way === 'close') socket.end()
  socket.destroySoon()
  // A server that does not read what is left keeps the socket open.
  const timer = setTimeout(reset, ANSWER_MS)
  await closed
  clearTimeout(timer)
}

function read(socket: Socket, { reads, version, transport }: Script): void {
  if (reads === 'silent') return void socket.resume()
  const packets = parser({ protocolVersion: version })
  packets.on('error', () => {})
  packets.on('packet', (packet: Packet) => {
    const answer = answerTo(packet)
    if (!answer || !socket.writable) return
    const bytes = generate(answer, { protocolVersion: version })
    socket.write(transport === 'web_socket' ? answerFrame(bytes) : bytes)
  })
  const readFrames = transport === 'web_socket' ? createFrameReader() : (chunk: Buffer) => [chunk]
  socket.on('data', (chunk: Buffer) => {
    for (const content of readFrames(chunk)) packets.parse(content)
  })
}

function answerTo(packet: Packet): Packet | undefined {
  const { messageId } = packet
  if (packet.cmd === 'publish' && packet.qos > 0)
    return { cmd: packet.qos === 1 ? 'puback' : 'pubrec', messageId }
  if (packet.cmd === 'pubrec') return { cmd: 'pubrel', messageId }
  if (packet.cmd === 'pubrel') return { cmd: 'pubcomp', messageId }
  return undefined
}
