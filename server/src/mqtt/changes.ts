/**
 * Changes of clients that other processes make: a connection of its own listens for them, and comes back by itself.
 * After each time that it was away, all sessions are reviewed, since nobody says what was missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Context } from '../context.ts'
import {
  applyClientChange,
  CLIENT_CHANGED_CHANNEL,
  type ClientChange,
} from '../providers/clients/client-changes.ts'
import { holdNodeLock, settleDeadNodes } from './nodes.ts'

const RECONNECT_MS = 500
const SETTLE_EVERY_MS = 30_000

export interface ChangeOptions {
  /** A client was disabled, deleted, or got other keys or another parser. This process hears of its own changes, too. */
  onClientChanged(clientId: string, message?: string): Promise<void>
  /** Any number of clients got another parser. */
  onProviderChanged(): Promise<void>
  /** The connection is there, for the first time or again. */
  onConnected(): Promise<void>
}

type Announced = ClientChange & { nodeId: string }

/** @returns once the first connection listens */
export async function listenForChanges(ctx: Context, options: ChangeOptions): Promise<AsyncDisposable> {
  const stopping = new AbortController()
  let client = await connect(ctx, options)
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
      const again = await connect(ctx, options).catch((error: Error) => {
        ctx.log.warn({ reason: error.message }, 'changes of clients are not heard, trying again')
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

async function connect(ctx: Context, options: ChangeOptions): Promise<pg.Client> {
  const client = new pg.Client(ctx.pool.options)
  // Heard, since an 'error' that nobody hears ends the process; `untilLost` sees the end.
  client.on('error', () => {})
  client.on('notification', ({ payload }) => heard(ctx, options, payload ?? ''))
  try {
    await client.connect()
    await holdNodeLock(client, ctx.nodeId)
    await client.query(`listen ${CLIENT_CHANGED_CHANNEL}`)
    await settleDeadNodes(client, ctx.nodeId)
    await options.onConnected()
    const settling = setInterval(() => settleDeadNodes(client, ctx.nodeId).catch(() => {}), SETTLE_EVERY_MS)
    client.once('end', () => clearInterval(settling))
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

function heard(ctx: Context, options: ChangeOptions, payload: string) {
  const { nodeId, ...change } = JSON.parse(payload) as Announced
  if (change.change === 'desired_changed' && nodeId === ctx.nodeId) return
  bring(ctx, options, change).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'a change of a client was not applied'),
  )
}

function bring(ctx: Context, options: ChangeOptions, change: ClientChange): Promise<void> {
  if (change.change === 'desired_changed') return applyClientChange(ctx, change)
  if (change.change === 'provider_parser_changed') return options.onProviderChanged()
  return options.onClientChanged(
    change.clientId,
    change.change === 'parser_changed' ? undefined : change.message,
  )
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
