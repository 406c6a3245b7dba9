/** Carries messages between the nodes of an installation. Channels (`channel.ts`) are the only users of it. */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'

export interface Subscription {
  /** Also called for messages that this node published. */
  onMessage(payload: string): Promise<void> | void
  /** The transport is connected, for the first time or again. Messages may have been lost before. */
  onReconnect(): Promise<void> | void
}

export interface Transport {
  /** @param db the database, or a transaction: then the messages are sent at its commit */
  publish(db: Kysely<Tables>, channel: string, payloads: string[]): Promise<void>
  /** Must be called before `connect`. A later subscription of the same channel replaces the earlier one. */
  subscribe(channel: string, subscription: Subscription): void
  /**
   *   node is reachable
   * @returns once messages are received
   */
  connect(onConnected: (client: pg.Client) => Promise<void>): Promise<AsyncDisposable>
}
