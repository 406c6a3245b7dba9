/**
 * Transports messages by PostgreSQL's `notify` over a dedicated connection, which reconnects when it is lost. Messages
 * published meanwhile are lost; `onReconnect` tells the subscriptions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { createSilenceWatch } from '../database/watch-silence.ts'
import type { Subscription, Transport } from './transport.ts'

interface Listening {
  pool: pg.Pool
  log: Logger
  /** By channel. */
  subscriptions: Map<string, Subscription>
  onConnected(client: pg.Client): Promise<void>
}

const RECONNECT_MS = 500

export function createPostgresTransport({ pool, log }: { pool: pg.Pool; log: Logger }): Transport {
  const subscriptions = new Map<string, Subscription>()
  let isConnected = false
  return {
    publish: async (db, { name }, messages) => {
      const payloads = messages.map(({ payload }) => payload)
      await sql`select pg_notify(${name}, payload) from unnest(${payloads}::text[]) payload`.execute(db)
    },
    subscribe: ({ name }, subscription) => void subscriptions.set(name, subscription),
    connect: (onConnected) =>
      listen({
        pool,
        log,
        subscriptions,
        onConnected: async (client) => {
          client.once('end', () => (isConnected = false))
          await onConnected(client)
          isConnected = true
        },
      }),
    interests: { add: () => {}, delete: () => {}, settled: () => Promise.resolve() },
    usesNats: false,
    setPeersWithoutNats: () => {},
    isConnected: () => isConnected,
  }
}

async function listen(options: Listening): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(options)
  const loop = keepListening()

  async function keepListening() {
    while (await waitUntilLost(client, stopping.signal)) {
      const again = await reconnect()
      if (again) client = again
    }
  }

  async function reconnect() {
    while (!stopping.signal.aborted) {
      await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {})
      const again = await connect(options).catch((error: Error) => {
        options.log.warn(
          { reason: error.message },
          'the connection for messages of other nodes is lost, reconnecting',
        )
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

async function connect({ pool, log, subscriptions, onConnected }: Listening): Promise<pg.Client> {
  const client = new pg.Client(pool.options)
  // An 'error' without a listener ends the process; `untilLost` sees the end.
  client.on('error', () => {})
  const receive = async (channel: string, payload: string) => subscriptions.get(channel)?.onMessage(payload)
  client.on('notification', ({ channel, payload = '' }) => {
    receive(channel, payload).catch((error: unknown) =>
      log.error({ err: error, channel }, 'a message of another node could not be handled'),
    )
  })
  try {
    await client.connect()
    createSilenceWatch(pool.options, log)(client)
    for (const channel of subscriptions.keys()) await client.query(`listen ${channel}`)
    await onConnected(client)
    for (const { onReconnect } of subscriptions.values()) await onReconnect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** @returns true when the connection was lost, false when it is time to stop */
async function waitUntilLost(client: pg.Client, signal: AbortSignal): Promise<boolean> {
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
