/** In the transaction of the samples: decides what changes, and writes what has to commit with the changes. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { enqueueNotifications } from '../notifications/activate.ts'
import type { Alarms } from './alarms.ts'
import { applyCrossings } from './statuses/apply-crossings.ts'
import type { AlarmChange } from './statuses/alarm-change.ts'
import { publishStatusChanges, publishSampledAssets } from './notices.ts'
import type { AlarmCrossing, Evaluation } from './watch/evaluate.ts'

type Tx = Kysely<Tables>

/** @returns what changed; `rememberEvaluation` follows the commit */
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
 * Every change of a status passes here, whatever caused it: samples, people or time. The notification of an activation
 * commits with it, and other nodes learn of the change by its commit.
 * @param crossings that were looked at; other nodes read their assets again, also where nothing changed
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
