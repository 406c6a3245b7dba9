/** The real-time connections and subscriptions of a node. `createPush` makes the state; each file of the room works on it. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { AlarmChange } from '../alarms/statuses/alarm-change.ts'
import type { BoundedCache } from '../lib/bounded-cache.ts'
import type { OwnerType } from '../timeseries/storage/series-key.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { Credentials } from './connections/credentials.ts'
import type { Protocol } from './connections/protocol.ts'
import type { Update } from './delivery/update.ts'
import type { Limits } from './limits.ts'
import type { SubscriptionBody } from './subscriptions/schema.ts'

export interface Push {
  /** Publishes committed samples to all who watch them, on other nodes too. It neither waits nor throws. */
  publishSamples(samples: StoredSample[]): void
  /** Publishes committed changes to all who watch them on this node: each node does so. It neither waits nor throws. */
  publishAlarms(changes: AlarmChange[]): void
  /** Ends all connections, since updates may have been missed: their clients open new ones. It neither waits nor throws. */
  restartConnections(): void
  /** Whether somebody watches the tenant, on this node or on another one. */
  isWatched(tenantId: string): boolean
  limits: Limits
  /** Connections by id, including broken ones that may be resumed. */
  connections: Map<string, Connection>
  /** Connections by user id. */
  connectionsByUser: Map<string, Set<Connection>>
  /** Subscriptions by id, in the order in which they expire. */
  subscriptions: Map<string, Subscription>
  watchers: Watchers
  /** Reads last known values, only a few at a time, so that many new subscriptions do not occupy the database. */
  readInTurn(read: () => Promise<IteratorResult<Update[], void>>): Promise<IteratorResult<Update[], void>>
  /** Checks again which connections and subscriptions still have access. */
  revalidation: Revalidation
  /** Sends samples to subscribers of other nodes; absent without NATS. */
  relay: SampleRelay | undefined
}

export interface Connection {
  id: string
  credentials: Credentials
  /** The id of the negotiated token, which opens one connection at a time. */
  negotiatedId: string
  protocol: Protocol
  /** Absent while a reliable connection is broken. */
  socket: WebSocket | undefined
  stream: Duplex | undefined
  isCorked: boolean
  /** Whether the client has answered the last ping. */
  isAlive: boolean
  isEnded: boolean
  reconnectionToken: string
  /** The sequence id of the last message; each reliable connection counts its own messages. */
  sequenceId: number
  unacked: { sequenceId: number; text: string }[]
  unackedBytes: number
  /** Ends the connection unless it is resumed before. */
  recoveryTimer: NodeJS.Timeout | undefined
  /** Ends the connection when its token expires. */
  expiryTimer: NodeJS.Timeout | undefined
  subscriptions: Set<Subscription>
  /** The number of assets and names of signals in all its subscriptions together. */
  entryCount: number
}

export interface Subscription {
  id: string
  tenantId: string
  connection: Connection
  topic: SubscriptionBody['topic']
  samplingType: 'none' | 'first'
  sampleIntervalSeconds: number | null
  assets: string[]
  /** The names of the signals that it receives; null for all. */
  timeseriesName: string[] | null
  names: ReadonlySet<string> | undefined
  /** Whether events that are sent at the same time come in one message. */
  batched: boolean
  owners: WatchedOwner[]
  startedAtMs: number
  /** The state of bringing it up to date; updates that arrive meanwhile wait. */
  start: InitialState | undefined
  /** The end of the sampling window of each series, by series. */
  windows: BoundedCache<string, number>
}

export interface InitialState {
  /** Updates that arrived meanwhile; absent once they are sent. */
  pending: Update[] | undefined
  pendingBytes: number
  /** The last known values that were sent, by key; cleared once nothing older can follow. */
  sent: Map<string, Pick<Update, 'position' | 'value'>>
}

/** What a subscription has not received yet. */
export interface Fresh {
  owners: WatchedOwner[]
  /** Whether it has received the last value of a series of these owners. */
  isKnown(ownerId: string, name: string): boolean
}

export interface WatchedOwner {
  ownerType: OwnerType
  ownerId: string
}

export type ByOwner = Map<string, Set<Subscription>>
export interface TenantWatchers {
  telemetry: Record<OwnerType, ByOwner>
  /** Alarm subscriptions by asset id. */
  alarm: ByOwner
}

/** Watchers by tenant id, without the tenants that nobody watches. */
export type Watchers = Map<string, TenantWatchers>

export interface SampleRelay extends AsyncDisposable {
  /** Publishes to the nodes at which somebody watches, mostly none. It neither waits nor throws. */
  publish(samples: StoredSample[]): void
  /** Whether another node wants samples of the tenant. */
  isWatched(tenantId: string): boolean
  /** @returns once the other nodes send all further samples of the owners */
  watch(subscription: Pick<Subscription, 'tenantId' | 'owners'>): Promise<void>
}

/** The users whose access may have changed. */
export type Scope = 'everything' | `tenant ${string}` | `user ${string}`

export interface Revalidation {
  /** The number of requests so far. If it grows during an access check, access may have changed meanwhile. */
  requested: number
  request(scope: Scope): void
}
