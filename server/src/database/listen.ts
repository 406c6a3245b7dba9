/**
 * What other processes say (`notify`): a connection of its own listens, and comes back by itself. Nobody says again what
 * was missed while it was away, so each listener hears that, too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { createSilenceWatch } from './watch-silence.ts'

interface Listener {
  /** Hears this process, too. */
  heard(payload: string): Promise<void> | void
  /** The connection is there, for the first time or again. */
  connected(): Promise<void> | void
}

/** By channel. Whoever wants to hear is in it before `listen`. */
export type Listeners = Map<string, Listener>

export interface ListenOptions {
  pool: pg.Pool
  log: Logger
  listeners: Listeners
  /** Before the listeners hear that it is connected. */
  onConnected(client: pg.Client): Promise<void>
}

const RECONNECT_MS = 500

/** @returns once the first connection listens */
export async function listenForNotices(options: ListenOptions): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(options)
  const loop = keepListening()

  async function keepListening() {
    while (await untilLost(client, stopping.signal)) {
      const again = await reconnect()
      if (again) client = again
    }
  }

  async function reconnect() {
    while (!stopping.signal.aborted) {
      await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {})
      const again = await connect(options).catch((error: Error) => {
        options.log.warn({ reason: error.message }, 'other processes are not heard, trying again')
      })
      if (again) return again
    }
    return undefined
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await loop
      await client.end().catch(() => {})
    },
  }
}

async function connect({ pool, log, listeners, onConnected }: ListenOptions): Promise<pg.Client> {
  const client = new pg.Client(pool.options)
  // Heard, since an 'error' that nobody hears ends the process; `untilLost` sees the end.
  client.on('error', () => {})
  const hear = async (channel: string, payload: string) => listeners.get(channel)?.heard(payload)
  client.on('notification', ({ channel, payload = '' }) => {
    hear(channel, payload).catch((error: unknown) =>
      log.error({ err: error, channel }, 'what another process said was not applied'),
    )
  })
  try {
    await client.connect()
    createSilenceWatch(pool.options, log)(client)
    for (const channel of listeners.keys()) await client.query(`listen ${channel}`)
    await onConnected(client)
    for (const listener of listeners.values()) await listener.connected()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** @returns true when the connection was lost, false when it is time to stop */
async function untilLost(client: pg.Client, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  return new Promise((resolve) => {
    const finish = (lost: boolean) => {
      client.removeListener('end', onEnd)
      signal.removeEventListener('abort', onAbort)
      resolve(lost)
    }
    const onEnd = () => finish(true)
    const onAbort = () => finish(false)
    client.once('end', onEnd)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
