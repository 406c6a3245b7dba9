/**
 * Runs in the transaction of the samples: decides which statuses change, and writes everything that must commit with
 * them.
 */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { enqueueNotifications } from '../notifications/activate.ts'
import type { Alarms } from './alarms.ts'
import { applyCrossings } from './statuses/apply-crossings.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { publishStatusChanges, publishSampledAssets } from './notices.ts'
import type { Evaluation } from './watch/evaluate.ts'
import type { AlarmCrossing } from './watch/rule.ts'

type Tx = Kysely<Tables>

/** @returns the changes; call `rememberEvaluation` after the commit */
export async function applyAlarms(
  alarms: Alarms,
  tx: Tx,
  { crossings, sharedAssets }: Pick<Evaluation, 'crossings' | 'sharedAssets'>,
): Promise<AlarmChange[]> {
  if (sharedAssets && sharedAssets.size > 0) await publishSampledAssets(alarms, tx, sharedAssets)
  if (crossings.length === 0) return []
  return announceChanges(alarms, tx, await applyCrossings(tx, crossings), crossings)
}

/**
 * Every change of a status passes through this function, whether samples, users or the clock caused it. The
 * notifications of an activation commit with it, and other nodes receive the change once it is committed.
 * @param crossings that were decided; other nodes read their assets again, even where nothing changed
 */
export async function announceChanges(
  alarms: Alarms,
  tx: Tx,
  changes: AlarmChange[],
  crossings: AlarmCrossing[] = [],
): Promise<AlarmChange[]> {
  await enqueueNotifications(tx, changes)
  await publishStatusChanges(alarms, tx, changes, crossings)
  return changes
}
