/**
 * Real-time push: who watches what, and how it reaches them. Publishing follows each commit; where
 * nobody watches the tenant that is one look-up a run of samples. [docs/push#subscriptions]
 */
import type { Principals } from '../access/sign-in/principals.ts'
import type { AlarmChange } from '../alarms/statuses/alarm-change.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Runtime } from '../runtime.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'
import type { Connection } from './connections/connection.ts'
import { deliverAlarms, deliverSamples } from './delivery/deliver.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { SampleRelay } from './delivery/sample-relay.ts'
import { createRevalidation, type Revalidation } from './subscriptions/revalidate-access.ts'
import type { Subscription } from './subscriptions/subscription.ts'
import type { Update } from './delivery/update.ts'
import type { Watchers } from './delivery/watchers.ts'

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

export type PushNeeds = Pick<Runtime, 'db' | 'pool' | 'log' | 'nodes'> & { principals: Principals }

export function createPush(ctx: PushNeeds): Push {
  const guarded = (deliver: () => void) => {
    try {
      deliver()
    } catch (error) {
      ctx.log.error({ err: error }, 'what was stored was not pushed')
    }
  }
  const push: Push = {
    publishSamples: (samples) =>
      guarded(() => {
        deliverSamples(push, samples)
        push.relay?.publish(samples)
      }),
    publishAlarms: (changes) => guarded(() => deliverAlarms(push, changes)),
    isWatched: (tenantId) => push.relay !== undefined || push.watchers.has(tenantId),
    limits: defaultLimits(),
    connections: new Map(),
    connectionsByUser: new Map(),
    subscriptions: new Map(),
    watchers: new Map(),
    readInTurn: coalesce((reads) => Promise.all(reads.map((read) => read())), {
      maxBatch: 1,
      concurrency: 4,
    }),
    revalidation: createRevalidation(ctx, () => push),
    relay: undefined,
  }
  return push
}
