/** Carries messages between the nodes of an installation. Channels (`channel.ts`) are the only users of it. */
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../database/tables.ts'

export interface Subscription {
  /** Also called for messages that this node published. */
  onMessage(payload: string): Promise<void> | void
  /** The transport is connected, for the first time or again, or messages may have been lost. */
  onReconnect(): Promise<void> | void
}

export interface ChannelAddress {
  name: string
  /** Whether the database always carries the messages: see `channel.ts`. */
  isByDatabase: boolean
}

export interface OutgoingMessage {
  /** Less than 8,000 bytes. */
  payload: string
  /** The provider client whose nodes receive the message; undefined for all nodes. */
  owner: string | undefined
}

/** The owners whose messages this node receives. A transport without interests delivers those of all owners. */
export interface Interests {
  add(owner: string): void
  delete(owner: string): void
  /**
   * Resolves once messages to all added owners arrive, so that what is read from the database afterwards and the
   * messages together miss nothing. Never rejects.
   */
  settled(): Promise<void>
}

export interface Transport {
  /** @param db the database, or a transaction: then the messages are sent at its commit */
  publish(db: Kysely<Tables>, channel: ChannelAddress, messages: OutgoingMessage[]): Promise<void>
  /** Must be called before `connect`. A later subscription of the same channel replaces the earlier one. */
  subscribe(channel: ChannelAddress, subscription: Subscription): void
  /**
   * @param onConnected called with each new connection to the database, which receives messages already; as long as it
   *   lives, this node is reachable
   * @param abort ends the wait for NATS
   * @returns once messages are received
   */
  connect(onConnected: (client: pg.Client) => Promise<void>, abort?: AbortSignal): Promise<AsyncDisposable>
  interests: Interests
  /** Whether NATS carries messages, too. */
  usesNats: boolean
  /** While other nodes receive only what the database carries, it carries all messages. */
  setPeersWithoutNats(nodeIds: ReadonlySet<string>): void
  /** Whether messages are received at present. */
  isConnected(): boolean
}
