/**
 * Alarms on the way of every sample. In order: `judge`, then in the transaction of the samples `apply`, and when that is
 * committed `committed`.
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { BindingListeners } from '../assets/bindings/binding-changes.ts'
import type { Runtime } from '../runtime.ts'
import type { StoredSample } from '../timeseries/stored-sample.ts'
import { applyCrossings } from './apply-crossings.ts'
import type { AlarmChange } from './change.ts'
import { alarmNotices, type Notice, publishChanges, publishSampledAssets } from './notices.ts'
import { byTenant, createReviews } from './reviews.ts'
import { type AssetSettling, settleAssets } from './settle.ts'
import type { AlarmStatusRow } from '../database/tables/alarms.ts'
import { changeOf } from './statuses/shape.ts'
import { type AlarmCrossing, type Evaluation, evaluate, type Told } from './watch/evaluate.ts'
import {
  type AlarmMemory,
  createMemory,
  findWatch,
  forgetAssets,
  forgetTenant,
  isConcerned,
  isReady,
  listWatched,
  load,
} from './watch/memory.ts'
import type { AssetWatch } from './watch/model-watch.ts'
import { remember } from './watch/remember.ts'
import { createUnjudgedWarning } from './watch/warn-unjudged.ts'

/** Who has to do something when alarms change, whatever changed them: samples, people or time. */
interface AlarmListener {
  /** In the transaction of the changes; once, in the process that makes them. */
  changing?(tx: Kysely<Tables>, changes: AlarmChange[]): Promise<void>
  /** When they are committed; in every process. */
  changed?(changes: AlarmChange[]): void
}

export interface Alarms {
  /** @returns false where it is known that no alarm watches the asset: then its samples need not be brought */
  concern(tenantId: string, assetId: string): boolean
  /** @returns nothing where all that these samples need is in memory already */
  ready(samples: StoredSample[]): Promise<void> | undefined
  /** Synchronous, and nothing of it stays if the samples are not stored after all. */
  evaluate(samples: StoredSample[], nowMs?: number): Evaluation
  /** Both; and where other processes run, what seems to cross is looked at again with what they have stored. */
  judge(samples: StoredSample[]): Promise<Evaluation>
  /** Decides, tells the listeners, and tells other processes, also of samples that concern them. */
  apply(tx: Kysely<Tables>, crossings: AlarmCrossing[], told?: Told): Promise<AlarmChange[]>
  committed(evaluation: Evaluation, changes: AlarmChange[]): void
  /** Changes statuses in a transaction of its own. */
  change(run: (tx: Kysely<Tables>) => Promise<AlarmChange[]>): Promise<AlarmChange[]>
  /** Tells listeners and other processes, for whoever has a transaction already; `changed` follows its commit. */
  changing(tx: Kysely<Tables>, changes: AlarmChange[]): Promise<void>
  changed(changes: AlarmChange[]): void
  /** Clears what is open on assets that are deleted or leave their models, and tells as `changing`; `changed` follows. */
  settleAssets(tx: Kysely<Tables>, tenantId: string, settling: AssetSettling): Promise<AlarmChange[]>
  /** Alarms of the tenant were created, changed or deleted, and that is committed. */
  alarmsChanged(tenantId: string): void
  /** Assets were deleted, or have another model; null: nobody knows which. */
  assetsChanged(tenantId: string, assetIds: string[] | null): void
  listeners: AlarmListener[]
  memory: AlarmMemory
  /** Settles when what follows from earlier batches is done. */
  settled(): Promise<void>
}

export function createAlarms(ctx: Pick<Runtime, 'db' | 'log' | 'nodes'> & BindingListeners): Alarms {
  const memory = createMemory(ctx.db)
  const listeners: AlarmListener[] = []
  const warnOfUnjudged = createUnjudgedWarning(ctx.log)
  let batches = 0

  const changing: Alarms['changing'] = async (tx, changes) => {
    if (changes.length > 0) for (const listener of listeners) await listener.changing?.(tx, changes)
    await publishChanges(ctx, tx, changes)
  }
  const apply: Alarms['apply'] = async (tx, crossings, told) => {
    if (told && told.size > 0) await publishSampledAssets(ctx, tx, told)
    if (crossings.length === 0) return []
    const changes = await applyCrossings(tx, crossings)
    if (changes.length > 0) for (const listener of listeners) await listener.changing?.(tx, changes)
    await publishChanges(ctx, tx, changes, crossings)
    return changes
  }
  const tellListeners = (changes: AlarmChange[]) => {
    if (changes.length > 0) for (const listener of listeners) listener.changed?.(changes)
  }
  const committed: Alarms['committed'] = (evaluation, changes) => {
    const unsure = remember(memory, evaluation, changes, batches)
    warnOfUnjudged(evaluation.unjudged)
    tellListeners(changes)
    for (const [tenantId, assetIds] of unsure) reviews.soon(tenantId, assetIds)
    // Somebody came while these samples were on their way.
    if (!evaluation.told && ctx.nodes.peers.exist) tellLate(evaluation)
  }
  const tellLate = ({ samples }: Evaluation) => {
    const told = new Map<AssetWatch, string>()
    for (const { tenantId, ownerId } of samples) {
      const asset = findWatch(memory, tenantId, ownerId)
      if (asset && asset.model.rules.length > 0) told.set(asset, tenantId)
    }
    if (told.size > 0) reviews.follow(publishSampledAssets(ctx, ctx.db, told))
  }
  const markChanged = (tenantId: string, assetIds: string[]) => {
    forgetAssets(memory, tenantId, assetIds)
    for (const assetId of assetIds) {
      const asset = findWatch(memory, tenantId, assetId)
      if (asset) asset.changedAt = batches
    }
  }

  const reviews = createReviews(ctx, { memory, apply, committed, newestBatch: () => batches })
  const isSeen = (tenantId: string) => (assetId: string) => findWatch(memory, tenantId, assetId) !== undefined

  const alarms: Alarms = {
    concern: (tenantId, assetId) => isConcerned(memory, tenantId, assetId),
    ready: (samples) => {
      const missing = missingOf(memory, samples)
      if (missing.size === 0) return undefined
      return Promise.all([...missing].map(([tenantId, ids]) => load(memory, tenantId, [...ids]))).then(
        () => {},
      )
    },
    evaluate: (samples, nowMs = Date.now()) => {
      const find = (sample: StoredSample) =>
        sample.ownerType === 'asset' ? findWatch(memory, sample.tenantId, sample.ownerId) : undefined
      return evaluate(find, samples, { batch: ++batches, nowMs, isShared: ctx.nodes.peers.exist })
    },
    judge: async (samples) => {
      await alarms.ready(samples)
      const evaluation = alarms.evaluate(samples)
      if (evaluation.doubtful.length === 0) return evaluation
      for (const [tenantId, ids] of byTenant(evaluation.doubtful)) forgetAssets(memory, tenantId, [...ids])
      await alarms.ready(samples)
      return alarms.evaluate(samples)
    },
    apply,
    committed,
    change: async (run) => {
      const changes = await ctx.db.transaction().execute(async (tx) => {
        const made = await run(tx)
        await changing(tx, made)
        return made
      })
      alarms.changed(changes)
      // Samples that came in the meantime knew nothing of it.
      for (const { tenantId, status } of changes)
        if (status.active) reviews.soon(tenantId, [status.entityId], { endsOnly: true })
      return changes
    },
    changing,
    changed: (changes) => {
      for (const { tenantId, status } of changes) markChanged(tenantId, [status.entityId])
      tellListeners(changes)
    },
    settleAssets: async (tx, tenantId, settling) => {
      const changes = await settleAssets(tx, tenantId, settling)
      await changing(tx, changes)
      return changes
    },
    alarmsChanged: (tenantId) => forgetTenant(memory, tenantId),
    assetsChanged: (tenantId, assetIds) =>
      assetIds ? markChanged(tenantId, assetIds) : forgetTenant(memory, tenantId),
    listeners,
    memory,
    settled: reviews.settled,
  }

  const applyNotice = async (notice: Notice) => {
    const { tenantId, assetIds, statusIds = [], sampledIds = [] } = notice
    if (!assetIds) return alarms.alarmsChanged(tenantId)
    markChanged(tenantId, [...assetIds, ...sampledIds])
    const seen = assetIds.filter(isSeen(tenantId))
    if (seen.length > 0) reviews.soon(tenantId, seen, { endsOnly: true })
    reviews.inTurn(sampledIds.filter(isSeen(tenantId)).map((assetId) => ({ tenantId, assetId })))
    if (statusIds.length > 0 && listeners.length > 0)
      tellListeners(await readChanges(ctx.db, tenantId, statusIds))
  }
  const forgetAll = () => {
    for (const tenantId of memory.tenants.keys()) forgetTenant(memory, tenantId)
  }
  alarmNotices.subscribe(ctx, {
    onMessage: (notice, { isOwn }) => (isOwn ? undefined : applyNotice(notice)),
    onReconnect: forgetAll,
  })
  ctx.nodes.peers.onMet.push(() => {
    forgetAll()
    reviews.inTurn(listWatched(memory))
  })
  ctx.bindingListeners.push(({ tenantId, instanceIds }) =>
    tenantId === null ? forgetAll() : alarms.assetsChanged(tenantId, instanceIds),
  )
  return alarms
}

function missingOf(memory: AlarmMemory, samples: StoredSample[]): Map<string, Set<string>> {
  const missing = new Map<string, Set<string>>()
  for (const { ownerType, type, tenantId, ownerId } of samples) {
    if (ownerType !== 'asset' || type !== 'telemetry' || isReady(memory, tenantId, ownerId)) continue
    const ids = missing.get(tenantId) ?? new Set()
    missing.set(tenantId, ids.add(ownerId))
  }
  return missing
}

/** As they are by now: a later change may have come in between. */
async function readChanges(
  db: Kysely<Tables>,
  tenantId: string,
  statusIds: string[],
): Promise<AlarmChange[]> {
  const rows: AlarmStatusRow[] = await db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${statusIds}::uuid[])`)
    .orderBy('id')
    .execute()
  return rows.map((row) => changeOf(row))
}
