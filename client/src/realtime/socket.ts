/** One WebSocket of a real-time connection. A connection that breaks is resumed by the next socket. */
import { startAcknowledging } from './acknowledgements.ts'
import type { PushedData } from './events.ts'
import { watchSilence } from './silence.ts'
import type { Timing } from './timing.ts'

/** A WebSocket as in browsers; the one of the package `ws` has these parts, too. */
export interface WebSocketLike {
  readonly readyState: number
  // oxlint-disable-next-line typescript/no-explicit-any -- the events of browsers and of `ws` have different types
  addEventListener(name: 'message' | 'close' | 'error', listener: (event: any) => void): void
  send(text: string): void
  close(code?: number, reason?: string): void
}
export type WebSocketConstructor = new (address: string, protocol: string) => WebSocketLike

const PROTOCOL = 'json.reliable.webpubsub.azure.v1'
const OPEN = 1
const NORMAL = 1000
/** The server keeps a connection whose client closes the socket with this code. */
const SILENT = 4000

export interface Closing {
  code: number
  reason: string
}

export interface Socket {
  /** The ids that the server gave the connection. */
  connected: { connectionId: string; reconnectionToken: string }
  closed: Promise<Closing>
  /** Resolves once everything is received that the server has sent so far, or the socket has closed. */
  check(): Promise<void>
  /** Ends the connection at the server as well. */
  close(): void
}

export interface SocketOptions {
  WebSocket: WebSocketConstructor
  timing: Timing
  address: string
  /** The sequence id of the last message that was received over an earlier socket. */
  sequenceId: number
  onHeard(): void
  onData(data: PushedData, sequenceId: number): void
}

/** The socket was closed before the server's first message. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened'
  constructor(readonly closing: Closing) {
    super(`The real-time connection was not opened (${closing.code} ${closing.reason}).`)
  }
}

type Message =
  | { type: 'message'; sequenceId: number; data: PushedData }
  | { type: 'system'; event: 'connected'; connectionId: string; reconnectionToken: string }
  | { type: 'pong' }

/** @throws NotOpened */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { timing } = options
  const raw = new options.WebSocket(options.address, PROTOCOL)
  const closed = defer<Closing>()
  const connected = defer<Socket['connected']>()

  let isFinished = false

  const send = (message: object) => {
    if (raw.readyState === OPEN) raw.send(JSON.stringify(message))
  }
  const finish = (closing: Closing) => {
    clearTimeout(timeout)
    silence.stop()
    acknowledgements.stop()
    isFinished = true
    closed.resolve(closing)
  }
  const close = (code: number, reason: string) => {
    finish({ code, reason })
    raw.close(code, reason)
  }
  const silence = watchSilence(timing, {
    ping: () => send({ type: 'ping' }),
    onDead: () => close(SILENT, 'The server is silent.'),
  })
  const acknowledgements = startAcknowledging(send, timing, options.sequenceId)
  const timeout = setTimeout(() => close(SILENT, 'The server does not answer.'), timing.openMs)

  // `close` follows each error.
  raw.addEventListener('error', () => {})
  raw.addEventListener('close', ({ code, reason }: Closing) => finish({ code, reason }))
  raw.addEventListener('message', ({ data }: { data: string }) => {
    if (isFinished) return
    silence.heard()
    options.onHeard()
    const message = JSON.parse(data) as Message
    if (message.type === 'pong') silence.answered()
    else if (message.type === 'system') connected.resolve(message)
    else if (acknowledgements.receive(message.sequenceId)) options.onData(message.data, message.sequenceId)
  })

  const first = await Promise.race([connected.promise, closed.promise])
  if ('code' in first) throw new NotOpened(first)
  clearTimeout(timeout)
  silence.start()
  return {
    connected: first,
    closed: closed.promise,
    check: () => Promise.race([silence.ask(), closed.promise.then(() => {})]),
    close: () => close(NORMAL, ''),
  }
}

function defer<T>() {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}
