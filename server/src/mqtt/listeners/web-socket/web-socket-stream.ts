/**
 * The bytes of MQTT within a WebSocket, as a stream. Back-pressure goes both ways: what is not read here is not read from
 * the socket, and what the client has not taken counts in `writableLength`.
 */
import { Duplex } from 'node:stream'
import { protocolError } from '../../connection/reason-codes.ts'
import type { PeerStream } from '../../authentication/peer-certificate.ts'
import { createWebSocketState, Opcode, readWebSocket, WebSocketError } from './read-web-socket.ts'

const NORMAL_CLOSURE = 1000
/** Pings are not answered while this much waits for the client, which need not take its answers. */
const MAX_UNSENT_BEFORE_PONG = 64 * 1024
/** The time within which the client must take the closing frame. */
const CLOSE_MS = 1000

/**
 * @param socket upgraded already
 * @param head the first bytes of the client, which arrived with its request
 * @param peer shows the certificate of the client
 */
export function createWebSocketStream(
  socket: Duplex,
  head: Buffer,
  peer: PeerStream = {},
): Duplex & PeerStream {
  const state = createWebSocketState()
  const close = (code: number) => {
    if (!socket.writableEnded) socket.end(frame(Opcode.close, closeCode(code)))
  }
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, callback) => send(socket, [chunk], callback),
    writev: (chunks, callback) =>
      send(
        socket,
        chunks.map(({ chunk }) => chunk as Buffer),
        callback,
      ),
    final(callback) {
      close(NORMAL_CLOSURE)
      callback()
    },
    destroy(error, callback) {
      destroySocket(socket)
      callback(error)
    },
  })
  const handlers = {
    onData: (bytes: Buffer) => void (stream.push(bytes) || socket.pause()),
    onPing(content: Buffer) {
      if (socket.writableLength <= MAX_UNSENT_BEFORE_PONG && !socket.writableEnded)
        socket.write(frame(Opcode.pong, content))
    },
    onClose() {
      socket.off('data', read)
      socket.resume()
      stream.push(null)
    },
  }
  const read = (chunk: Buffer) => {
    if (stream.destroyed) return
    try {
      readWebSocket(state, handlers, chunk)
    } catch (error) {
      if (!(error instanceof WebSocketError)) throw error
      close(error.code)
      stream.destroy(protocolError(error.message))
    }
  }
  socket.on('data', read)
  socket.on('end', () => void stream.push(null))
  socket.on('close', () => stream.destroy())
  if (head.length > 0) socket.unshift(head)
  return Object.assign(stream, { getPeerX509Certificate: () => peer.getPeerX509Certificate?.() })
}

/** @param callback called when the socket has taken the bytes */
function send(socket: Duplex, chunks: Buffer[], callback: (error?: Error | null) => void): void {
  if (socket.writableEnded) return callback()
  const length = chunks.reduce((sum, { length: bytes }) => sum + bytes, 0)
  socket.cork()
  socket.write(header(Opcode.binary, length))
  chunks.forEach((chunk, index) => socket.write(chunk, index === chunks.length - 1 ? callback : undefined))
  socket.uncork()
}

const frame = (opcode: number, content: Buffer): Buffer =>
  Buffer.concat([header(opcode, content.length), content])

function header(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode
  if (length < 126) return Buffer.of(first, length)
  if (length < 65_536) return Buffer.of(first, 126, length >> 8, length & 255)
  const bytes = Buffer.alloc(10)
  bytes[0] = first
  bytes[1] = 127
  bytes.writeUInt32BE(length, 6)
  return bytes
}

const closeCode = (code: number): Buffer => Buffer.of(code >> 8, code & 255)

/** After its closing frame the client gets a moment to read it and to close its side. */
function destroySocket(socket: Duplex): void {
  if (!socket.writableEnded || socket.readableEnded) return void socket.destroy()
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS)
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}
