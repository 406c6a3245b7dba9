/** Runs a case against a server. Nothing that the server answers is an error here. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate, type Packet, parser } from 'mqtt-packet'
import type { FuzzCase, Script } from './make-case.ts'

/** The time that the server has for an answer, or for closing; many cases expect neither. */
const ANSWER_MS = 250
const LEFT_MS = 150

/** Resolves when all connections of the case are closed. */
export async function runCase(port: number, { connections }: FuzzCase): Promise<void> {
  await Promise.all(connections.map((script) => runScript(port, script)))
}

async function runScript(port: number, script: Script): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  socket.on('error', () => {})
  try {
    await once(socket, 'connect')
  } catch {
    return
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

async function end(socket: Socket, { end: way }: Script, closed: Promise<void>): Promise<void> {
  if (way === 'reset') socket.resetAndDestroy()
  else if (way === 'half') socket.end()
  if (way === 'half' || way === 'left') await Promise.race([closed, sleep(LEFT_MS)])
  if (way === 'close') socket.end()
  socket.destroySoon()
  // A server that does not read what is left keeps the socket open.
  const timer = setTimeout(() => socket.resetAndDestroy(), ANSWER_MS)
  await closed
  clearTimeout(timer)
}

function read(socket: Socket, { reads, version }: Script): void {
  if (reads === 'silent') return void socket.resume()
  const packets = parser({ protocolVersion: version })
  packets.on('error', () => {})
  packets.on('packet', (packet: Packet) => {
    const answer = answerTo(packet)
    if (answer && socket.writable) socket.write(generate(answer, { protocolVersion: version }))
  })
  socket.on('data', (chunk) => void packets.parse(chunk))
}

function answerTo(packet: Packet): Packet | undefined {
  const { messageId } = packet
  if (packet.cmd === 'publish' && packet.qos > 0)
    return { cmd: packet.qos === 1 ? 'puback' : 'pubrec', messageId }
  if (packet.cmd === 'pubrec') return { cmd: 'pubrel', messageId }
  if (packet.cmd === 'pubrel') return { cmd: 'pubcomp', messageId }
  return undefined
}
