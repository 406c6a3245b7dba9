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
  /** Committed samples, to all who watch them, on other nodes too. Neither waits nor throws. */
  publishSamples(samples: StoredSample[]): void
  /** Committed changes, to all who watch them on this node: each node publishes every change. Neither waits nor throws. */
  publishAlarms(changes: AlarmChange[]): void
  /** Whether somebody watches the tenant, here or in a process that we do not see into. */
  isWatched(tenantId: string): boolean
  limits: Limits
  /** By id; also those that are broken and may come back. */
  connections: Map<string, Connection>
  /** By user id. */
  connectionsByUser: Map<string, Set<Connection>>
  /** By id; whoever expires first comes first. */
  subscriptions: Map<string, Subscription>
  watchers: Watchers
  /** Reads what is known last; few at a time, so that many new subscriptions leave the database to others. */
  readInTurn(read: () => Promise<IteratorResult<Update[], void>>): Promise<IteratorResult<Update[], void>>
  /** Looks again at who may watch what. */
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
  /** Answered the last ping. */
  isAlive: boolean
  isEnded: boolean
  reconnectionToken: string
  /** Of the last message; each reliable connection counts its own. */
  sequenceId: number
  unacked: { sequenceId: number; text: string }[]
  unackedBytes: number
  /** Ends the connection unless it comes back before. */
  recoveryTimer: NodeJS.Timeout | undefined
  /** Ends the connection when its token expires. */
  expiryTimer: NodeJS.Timeout | undefined
  subscriptions: Set<Subscription>
  /** Of all its subscriptions together. */
  assetCount: number
}

export interface Subscription {
  id: string
  tenantId: string
  connection: Connection
  topic: SubscriptionBody['topic']
  samplingType: 'none' | 'first'
  sampleIntervalSeconds: number | null
  assets: string[]
  owners: WatchedOwner[]
  startedAtMs: number
  /** How it is brought up to date; what arrives meanwhile waits. */
  start: InitialState | undefined
  /** By series, until when its sampling window lasts. */
  windows: BoundedCache<string, number>
}

export interface InitialState {
  /** Arrived meanwhile; absent once that is sent. */
  pending: Update[] | undefined
  pendingBytes: number
  /** What was sent as the last known, by key; forgotten once nothing older can follow. */
  sent: Map<string, Pick<Update, 'position' | 'value'>>
}

export interface WatchedOwner {
  ownerType: OwnerType
  ownerId: string
}

export type ByOwner = Map<string, Set<Subscription>>
export interface TenantWatchers {
  telemetry: Record<OwnerType, ByOwner>
  /** By asset. */
  alarm: ByOwner
}

/** By tenant id; a tenant that nobody watches is not in it. */
export type Watchers = Map<string, TenantWatchers>

export interface SampleRelay extends AsyncDisposable {
  /** Goes to nodes at which somebody watches; mostly that is none. Neither waits nor throws. */
  publish(samples: StoredSample[]): void
  /** @returns once the other nodes send what happens to the tenant from now on */
  watch(tenantId: string): Promise<void>
}

/** Whose access may have changed. */
export type Scope = 'everything' | `tenant ${string}` | `user ${string}`

export interface Revalidation {
  /** How many were asked for: who decides something meanwhile can tell that it may have changed. */
  requested: number
  request(scope: Scope): void
}
