/**
 * Real-time push: keeps the subscriptions and delivers updates to them. Publishing follows each commit. If nobody
 * watches the tenant, it costs one look-up per run of samples. [docs/push#subscriptions]
 */
import type { Principals } from '../access/sign-in/principals.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Runtime } from '../runtime.ts'
import { createRestart } from './connections/restart-connections.ts'
import { deliverAlarms, deliverSamples } from './delivery/deliver.ts'
import { defaultLimits } from './limits.ts'
import { createRevalidation } from './subscriptions/revalidate-access.ts'
import type { Push } from './state.ts'

export type PushNeeds = Pick<Runtime, 'db' | 'pool' | 'log' | 'nodes'> & { principals: Principals }

export function createPush(ctx: PushNeeds): Push {
  const guarded = (deliver: () => void) => {
    try {
      deliver()
    } catch (error) {
      ctx.log.error({ err: error }, 'stored samples could not be pushed')
    }
  }
  const push: Push = {
    publishSamples: (samples) =>
      guarded(() => {
        deliverSamples(push, samples)
        push.relay?.publish(samples)
      }),
    publishAlarms: (changes) => guarded(() => deliverAlarms(push, changes)),
    restartConnections: createRestart(() => push),
    isWatched: (tenantId) => push.watchers.has(tenantId) || (push.relay?.isWatched(tenantId) ?? false),
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
