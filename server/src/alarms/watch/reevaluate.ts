/**
 * Evaluates assets again without a new sample: samples that overtook each other, on one node or on several, may leave a
 * state that does not fit the newest values.
 */
import { retry } from '../../lib/retry.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import type { Alarms } from '../alarms.ts'
import { applyAlarms } from '../apply-alarms.ts'
import { type AssetKey, groupByTenant } from './asset-key.ts'
import { reevaluateAsset } from './evaluate.ts'
import type { AlarmCrossing } from './rule.ts'
import { findWatch, isReady, load } from './memory.ts'
import { remember } from './remember.ts'

interface ReevaluationOptions {
  /** Only ends alarms and holds, since an acknowledgement is not a sample and activates nothing. */
  endsOnly?: boolean
}

/** How long a failing reevaluation is retried; after that, the asset waits for its next sample. */
const PATIENCE_MS = 5000

/** Starts at once; `settled` waits for it. */
export function startReevaluation(
  alarms: Alarms,
  tenantId: string,
  assetIds: string[],
  options: ReevaluationOptions = {},
): void {
  trackFollowUp(alarms, reevaluate(alarms, tenantId, assetIds, options))
}

/** For frequent requests: assets gather while earlier ones are evaluated. */
export function enqueueReevaluation(alarms: Alarms, assets: AssetKey[]): void {
  for (const asset of assets) trackFollowUp(alarms, alarms.reevaluateInTurn(asset))
}

/** Evaluates one batch of `reevaluateInTurn`. */
export async function reevaluateTogether(alarms: Alarms, assets: AssetKey[]): Promise<void[]> {
  for (const [tenantId, ids] of groupByTenant(assets))
    await retry(PATIENCE_MS, () => reevaluate(alarms, tenantId, [...ids])).catch((error: unknown) =>
      logFailure(alarms, error),
    )
  return assets.map(() => undefined)
}

export function trackFollowUp(alarms: Alarms, work: Promise<unknown>): void {
  const run = work
    .catch((error: unknown) => logFailure(alarms, error))
    .then(() => void alarms.followUps.delete(run))
  alarms.followUps.add(run)
}

const logFailure = ({ log }: Alarms, error: unknown) =>
  log.error({ err: error }, 'alarms could not be evaluated; the next sample of their assets evaluates them')

/** Resolves when all follow-up work of earlier batches and changes is done. */
export async function settled({ followUps }: Alarms): Promise<void> {
  while (followUps.size > 0) await Promise.all(followUps)
}

async function reevaluate(
  alarms: Alarms,
  tenantId: string,
  assetIds: string[],
  { endsOnly = false }: ReevaluationOptions = {},
): Promise<void> {
  const { memory, db, push } = alarms
  await load(memory, tenantId, assetIds)
  const nowMs = Date.now()
  const all = await findCrossings(alarms, tenantId, assetIds, nowMs)
  const crossings = endsOnly ? all.filter(isEnd) : all
  if (crossings.length === 0) return
  // Other nodes need no notice of sampled assets here, since there is no new sample.
  const evaluation = { crossings, sharedAssets: new Map() }
  const changes = await db.transaction().execute((tx) => applyAlarms(alarms, tx, evaluation))
  const { batches: batch } = alarms
  const unsure = remember(memory, { samples: [], crossings, batch, nowMs }, changes, batch)
  push.publishAlarms(changes)
  for (const [unsureTenantId, ids] of unsure) startReevaluation(alarms, unsureTenantId, ids)
}

async function findCrossings(
  { memory }: Alarms,
  tenantId: string,
  assetIds: string[],
  nowMs: number,
): Promise<AlarmCrossing[]> {
  const found: AlarmCrossing[] = []
  const turn = takeTurns()
  for (const assetId of assetIds) {
    const asset = findWatch(memory, tenantId, assetId)
    if (asset && isReady(memory, tenantId, assetId)) found.push(...reevaluateAsset(tenantId, asset, nowMs))
    const rest = turn()
    if (rest) await rest
  }
  return found
}

const isEnd = ({ crossing }: AlarmCrossing) => crossing === 'returns' || crossing === 'release'
