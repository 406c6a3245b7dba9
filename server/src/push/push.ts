/**
 * Real-time push: who watches what, and how it reaches them. The walk calls `telemetry` and `alarms` after each commit;
 * where nobody watches the tenant that is one look-up a run of samples. [docs/push#subscriptions]
 */
import type { Principals } from '../access/sign-in/principals.ts'
import type { AlarmChange } from '../alarms/change.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Runtime } from '../runtime.ts'
import type { StoredSample } from '../timeseries/stored-sample.ts'
import type { Connection } from './connection.ts'
import { deliverAlarms, deliverSamples } from './deliver.ts'
import { defaultLimits, type Limits } from './limits.ts'
import type { OtherProcesses } from './other-processes.ts'
import { createReview, type Review } from './review.ts'
import type { Subscription } from './subscription.ts'
import type { Update } from './update.ts'
import type { Watchers } from './watchers.ts'

export interface Push {
  /** What was committed, to all who watch it. Neither waits nor throws. */
  telemetry(samples: StoredSample[]): void
  alarms(changes: AlarmChange[]): void
  /** Whether somebody watches the tenant, here or in a process that we do not see into. */
  isWatched(tenantId: string): boolean
  limits: Limits
  /** By id; also those that are broken and may come back. */
  connections: Map<string, Connection>
  /** By user id. */
  connectionsOf: Map<string, Set<Connection>>
  /** By id; whoever expires first comes first. */
  subscriptions: Map<string, Subscription>
  watchers: Watchers
  /** Reads what is known last; few at a time, so that many new subscriptions leave the database to others. */
  inTurn(read: () => Promise<IteratorResult<Update[], void>>): Promise<IteratorResult<Update[], void>>
  /** Looks again at who may watch what. */
  review: Review
  /** Absent where this process is alone. */
  others: OtherProcesses | undefined
}

export type PushNeeds = Pick<Runtime, 'db' | 'pool' | 'log' | 'nodes'> & { principals: Principals }

export function createPush(ctx: PushNeeds): Push {
  const never = (deliver: () => void) => {
    try {
      deliver()
    } catch (error) {
      ctx.log.error({ err: error }, 'what was stored was not pushed')
    }
  }
  const push: Push = {
    telemetry: (samples) =>
      never(() => {
        deliverSamples(push, samples)
        push.others?.publish(samples)
      }),
    // Every process hears of every change of an alarm by itself.
    alarms: (changes) => never(() => deliverAlarms(push, changes)),
    isWatched: (tenantId) => push.others !== undefined || push.watchers.has(tenantId),
    limits: defaultLimits(),
    connections: new Map(),
    connectionsOf: new Map(),
    subscriptions: new Map(),
    watchers: new Map(),
    inTurn: coalesce((reads) => Promise.all(reads.map((read) => read())), { maxBatch: 1, concurrency: 4 }),
    review: createReview(ctx, () => push),
    others: undefined,
  }
  return push
}
