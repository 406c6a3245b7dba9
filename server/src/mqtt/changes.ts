/** Changes of clients that other processes make; and after each time that they were not heard, all sessions are reviewed. */
import type pg from 'pg'
import type { Context } from '../context.ts'
import { listenForNotices } from '../database/listen.ts'
import { holdNodeLock } from '../database/node-lock.ts'
import {
  applyClientChange,
  CLIENT_CHANGED_CHANNEL,
  type ClientChange,
} from '../providers/clients/client-changes.ts'
import { settleDeadNodes } from './nodes.ts'

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

/** Also brings what the rooms listen for. @returns once the first connection listens */
export function listenForChanges(ctx: Context, options: ChangeOptions): Promise<AsyncDisposable> {
  const { pool, log, listeners } = ctx
  listeners.set(CLIENT_CHANGED_CHANNEL, {
    heard: (payload) => heard(ctx, options, payload),
    connected: options.onConnected,
  })
  return listenForNotices({ pool, log, listeners, onConnected: (client) => beThere(ctx, client) })
}

async function beThere({ nodeId, peers }: Context, client: pg.Client): Promise<void> {
  await holdNodeLock(client, nodeId)
  await settleDeadNodes(client, nodeId)
  await peers.greet(client)
  const settle = async () => {
    await settleDeadNodes(client, nodeId)
    await peers.count(client)
  }
  const settling = setInterval(() => settle().catch(() => {}), SETTLE_EVERY_MS)
  client.once('end', () => clearInterval(settling))
}

async function heard(ctx: Context, options: ChangeOptions, payload: string): Promise<void> {
  const { nodeId, ...change } = JSON.parse(payload) as Announced
  if (change.change === 'desired_changed') {
    if (nodeId !== ctx.nodeId) await applyClientChange(ctx, change)
  } else if (change.change === 'provider_parser_changed') await options.onProviderChanged()
  else
    await options.onClientChanged(
      change.clientId,
      change.change === 'parser_changed' ? undefined : change.message,
    )
}
