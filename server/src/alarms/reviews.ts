/**
 * Assets are looked at again, without a new sample: samples that passed each other on their way, in this process or in
 * others, may leave a state that the newest values do not bear out.
 */
import type { Runtime } from '../runtime.ts'
import { keepTrying } from '../ingest/keep-trying.ts'
import { coalesce } from '../lib/coalesce.ts'
import type { Alarms } from './alarms.ts'
import { review } from './watch/evaluate.ts'
import { findWatch, isReady, load } from './watch/memory.ts'

export interface Reviews {
  /** @param endsOnly nothing activates: somebody acknowledged, and that is no sample */
  soon(tenantId: string, assetIds: string[], options?: { endsOnly?: boolean }): void
  /** For what comes often, and has to be done: while some is looked at, the rest gathers. */
  inTurn(places: AssetPlace[]): void
  /** Also waits for other work that follows from samples. */
  follow(work: Promise<unknown>): void
  settled(): Promise<void>
}

export interface AssetPlace {
  tenantId: string
  assetId: string
}

type Walk = Pick<Alarms, 'memory' | 'apply' | 'committed'> & { newestBatch(): number }

/** What is told once and fails would have to wait for the asset's next sample. */
const PATIENCE_MS = 5000

export function createReviews(ctx: Pick<Runtime, 'db' | 'log'>, walk: Walk): Reviews {
  const underWay = new Set<Promise<void>>()
  const failed = (error: unknown) =>
    ctx.log.error({ err: error }, 'alarms wait for the next sample of their assets')
  const follow = (work: Promise<unknown>) => {
    const run = work.catch(failed).then(() => void underWay.delete(run))
    underWay.add(run)
  }
  const reviewTogether = async (places: AssetPlace[]) => {
    for (const [tenantId, ids] of byTenant(places))
      await keepTrying(PATIENCE_MS, () => reviewNow(ctx, walk, { tenantId, assetIds: [...ids] })).catch(
        failed,
      )
    return places.map(() => undefined)
  }
  const queue = coalesce(reviewTogether, { maxBatch: 500, concurrency: 1 })
  return {
    soon: (tenantId, assetIds, options) => follow(reviewNow(ctx, walk, { tenantId, assetIds, ...options })),
    inTurn: (places) => {
      for (const place of places) follow(queue(place))
    },
    follow,
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

async function reviewNow(
  { db }: Pick<Runtime, 'db'>,
  { memory, apply, committed, newestBatch }: Walk,
  { tenantId, assetIds, endsOnly = false }: { tenantId: string; assetIds: string[]; endsOnly?: boolean },
): Promise<void> {
  await load(memory, tenantId, assetIds)
  const nowMs = Date.now()
  const crossings = assetIds
    .flatMap((assetId) => {
      const asset = findWatch(memory, tenantId, assetId)
      return asset && isReady(memory, tenantId, assetId) ? review(tenantId, asset, nowMs) : []
    })
    .filter(({ crossing }) => !endsOnly || crossing === 'returns' || crossing === 'release')
  if (crossings.length === 0) return
  const changes = await db.transaction().execute((tx) => apply(tx, crossings))
  const batch = newestBatch()
  committed({ samples: [], crossings, unjudged: [], told: new Map(), doubtful: [], batch, nowMs }, changes)
}

export function byTenant(places: Iterable<AssetPlace>): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { tenantId, assetId } of places) ids.set(tenantId, (ids.get(tenantId) ?? new Set()).add(assetId))
  return ids
}
