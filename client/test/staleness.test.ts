/** How long values may be shown as live after the server was last heard, on a clock that only the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RealtimeState } from '../src/realtime/live.ts'
import { createRealtime } from '../src/realtime/realtime.ts'
import type { WebSocketLike } from '../src/realtime/socket.ts'
import { createTokenSource } from '../src/token.ts'

const MOST_MS = 5000
/** The time that a message takes in one direction. */
const WAY_MS = 20

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server at the other end of an open socket. After `die` nothing comes from it any more, and nothing says so. */
function startServer() {
  let isAlive = true
  let lastSentMs = 0
  const listeners: ((event: { data: string }) => void)[] = []
  const send = (message: object) =>
    setTimeout(() => {
      if (!isAlive) return
      lastSentMs = performance.now()
      for (const listener of listeners) listener({ data: JSON.stringify(message) })
    }, WAY_MS)
  class FakeSocket implements WebSocketLike {
    readyState = 1
    constructor() {
      send({ type: 'system', event: 'connected', connectionId: 'c', reconnectionToken: 't' })
    }
    addEventListener(name: string, listener: (event: never) => void) {
      if (name === 'message') listeners.push(listener as (event: { data: string }) => void)
    }
    send(text: string) {
      if ((JSON.parse(text) as { type: string }).type === 'ping')
        setTimeout(() => send({ type: 'pong' }), WAY_MS)
    }
    close() {}
  }
  let sequenceId = 0
  return {
    WebSocket: FakeSocket,
    /** Sends something that belongs to no subscription. */
    push: () =>
      send({
        type: 'message',
        sequenceId: ++sequenceId,
        data: { topic: 'telemetry', subscriptionId: 'none', items: [] },
      }),
    die: () => {
      isAlive = false
    },
    readLastSentMs: () => lastSentMs,
  }
}

/** @returns milliseconds from the last sign of life until the values are marked as outdated */
async function measureDelay({ aliveMs, pushMs }: { aliveMs: number; pushMs: number }): Promise<number> {
  const server = startServer()
  let markedAtMs: number | undefined
  const onState = ({ name }: RealtimeState) => {
    if (name === 'reconnecting') markedAtMs ??= performance.now()
  }
  const negotiated = { url: 'ws://gangway.test/', accessToken: 'token', expiresAt: null }
  const live = createRealtime(
    {
      url: 'http://gangway.test',
      tokens: createTokenSource({ token: 'token' }),
      timeoutMs: 35_000,
      fetch: async () => Response.json(negotiated),
    },
    { WebSocket: server.WebSocket, onState },
  )
  await vi.advanceTimersByTimeAsync(100)
  expect(live.state.name).toBe('live')
  for (let ms = 0; ms < aliveMs; ms += pushMs) {
    server.push()
    await vi.advanceTimersByTimeAsync(Math.min(pushMs, aliveMs - ms))
  }
  expect(live.state.name).toBe('live')
  server.die()
  await vi.advanceTimersByTimeAsync(2 * MOST_MS)
  live.close()
  return markedAtMs! - server.readLastSentMs()
}

test.each([
  ['no values', 60_000],
  ['a value a second', 1000],
  ['a value each 1.9 seconds, shortly before the server would be asked', 1900],
  ['a value each 2.1 seconds, while the server is asked', 2100],
])('values are marked as outdated within 5 s of the last sign of life: %s', async (_what, pushMs) => {
  const delays: number[] = []
  // The server dies at each part of the rhythm of questions and answers.
  for (let aliveMs = 10_000; aliveMs < 14_500; aliveMs += 150)
    delays.push(await measureDelay({ aliveMs, pushMs }))
  expect(Math.max(...delays)).toBeLessThanOrEqual(MOST_MS)
  // A mark that comes at once would be one of a healthy connection.
  expect(Math.min(...delays)).toBeGreaterThan(1000)
})
