/**
 * A commit whose answer is lost may have taken place. What it may have changed is kept: the next try finds the messages stored,
 * and has no changes of its own to push.
 */
import { readChanges } from '../alarms/statuses/read-changes.ts'
import type { AlarmChange } from '../alarms/statuses/alarm-change.ts'
import type { Context } from '../context.ts'
import type { Observed } from './observed-samples.ts'
import type { StoredSample } from '../timeseries/storage/stored-sample.ts'

/** What subscribers observe of a commit. */
export interface Outcome {
  observed: Observed
  changes: AlarmChange[]
}

/**
 * @param unanswered gets what was reached where the answer is lost
 * @param commit calls `reach` when all is done but the commit itself
 * @returns what it reached
 */
export async function keepUnanswered<T extends Outcome>(
  unanswered: Outcome[] | undefined,
  commit: (reach: (outcome: T) => T) => Promise<T>,
): Promise<T> {
  let reached: T | undefined
  try {
    return await commit((outcome) => (reached = outcome))
  } catch (error) {
    // With this severity PostgreSQL has refused the commit.
    if (reached && (error as { severity?: string }).severity !== 'ERROR') unanswered?.push(reached)
    throw error
  }
}

/**
 * Publishes what earlier tries have stored, once that is known. An update may come twice. Never rejects.
 * @param now the samples of the last try: where it stored them, the tries before had not
 */
export async function publishUnanswered(
  { db, push, log }: Pick<Context, 'db' | 'push' | 'log'>,
  unanswered: Outcome[] = [],
  now: StoredSample[] = [],
): Promise<void> {
  const outcomes = unanswered.splice(0)
  if (now.length === 0) for (const { observed } of outcomes) push.publishSamples(observed.readCommitted())
  const statusIds = new Map<string, Set<string>>()
  for (const { tenantId, status } of outcomes.flatMap(({ changes }) => changes))
    statusIds.set(tenantId, (statusIds.get(tenantId) ?? new Set()).add(status.alarmStatusId))
  try {
    for (const [tenantId, ids] of statusIds) push.publishAlarms(await readChanges(db, tenantId, [...ids]))
  } catch (error) {
    log.warn({ err: error }, 'alarms that were stored cannot be read: subscribers begin again')
    push.restartConnections()
  }
}
