import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { afterCommit } from '../after-commit.ts'
import type { Alarms } from '../alarms.ts'
import { announceChanges } from '../apply-alarms.ts'
import type { AlarmChange } from './alarm-change.ts'
import { startReevaluation } from '../watch/reevaluate.ts'

/** Changes statuses in a separate transaction. */
export async function changeStatuses(
  alarms: Alarms,
  change: (tx: Kysely<Tables>) => Promise<AlarmChange[]>,
): Promise<AlarmChange[]> {
  const changes = await alarms.db
    .transaction()
    .execute(async (tx) => announceChanges(alarms, tx, await change(tx)))
  afterCommit(alarms, changes)
  // Samples that arrived meanwhile were evaluated without these changes.
  for (const { tenantId, status } of changes)
    if (status.active) startReevaluation(alarms, tenantId, [status.entityId], { endsOnly: true })
  return changes
}
