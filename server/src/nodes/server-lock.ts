/**
 * Every running server holds this advisory lock, shared, on a connection of its own. A command that may only run while
 * no server does (rotating the secret key) takes it exclusively.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ClientConfig, Pool } from 'pg'
import { Client } from 'pg'
import { cleanUp } from '../database/clean-up.ts'
import { commonOptions } from '../database/pool.ts'
import { createSilenceWatch } from '../database/watch-silence.ts'

/** The number of the advisory lock. */
export const serverLock = 7_264_002

export class ServersRunningError extends Error {
  override name = 'ServersRunningError'
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/** @throws ServersRunningError when a command holds it exclusively. */
export async function holdServerLock(connection: ClientConfig, log: Logger): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connectAndLock(connection, log)
  const loop = keepHolding()

  async function keepHolding() {
    for (;;) {
      await waitUntilEnded(client, stopping.signal)
      const again = await reconnect(connection, log, stopping.signal)
      if (!again) return
      client = again
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await loop
      await client.end().catch(() => {})
    },
  }
}

async function connectAndLock(connection: ClientConfig, log: Logger) {
  await using started = cleanUp()
  const config = { ...commonOptions('gangway server lock'), ...connection }
  const client = new Client(config)
  client.on('error', () => {})
  started.use({ [Symbol.asyncDispose]: () => client.end() })
  await client.connect()
  createSilenceWatch(config, log)(client)
  const { rows } = await client.query('select pg_try_advisory_lock_shared($1) as locked', [serverLock])
  if (!rows[0].locked)
    throw new ServersRunningError(
      'An offline command is working on this database. Start the server when it has ended.',
    )
  started.keep()
  return client
}

async function reconnect(connection: ClientConfig, log: Logger, signal: AbortSignal) {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (signal.aborted) return undefined
    try {
      return await connectAndLock(connection, log)
    } catch (error) {
      log.debug({ reason: (error as Error).message }, 'the server lock is lost, reconnecting')
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {})
  }
}

const waitUntilEnded = (client: Client, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    // The stop may be requested during a reconnection; no event tells of it afterwards.
    if (signal.aborted) return resolve()
    client.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** @throws ServersRunningError while any server runs on this database. */
export async function lockExclusively(pool: Pool): Promise<AsyncDisposable> {
  const client = await pool.connect()
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [serverLock])
  const release = async () => client.release(true)
  if (rows[0].locked) return { [Symbol.asyncDispose]: release }
  await release()
  throw new ServersRunningError('A Gangway server is running on this database. Stop every server first.')
}
