/** Conditions that must hold for a while: the job of the moment when they have, where no further sample came. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { applyCrossings } from '../statuses/apply-crossings.ts'
import { changeStatuses } from '../statuses/change-statuses.ts'
import { readAssetWatch, type Watched } from './asset-from-database.ts'

/** It crosses only if the newest samples still say so, whoever brought them. */
export async function checkHold({ alarms }: Pick<Context, 'alarms'>, watched: Watched): Promise<void> {
  const { tenantId, alarmId, assetId } = watched
  await changeStatuses(alarms, async (tx) => {
    // The alarm before what is open of it, as everywhere: so that nobody waits in a circle.
    await sql`select from alarms where id = ${alarmId} for share`.execute(tx)
    const { rows } = await sql<{ since: Date }>`
      select since from alarm_holds
      where tenant_id = ${tenantId} and alarm_id = ${alarmId} and asset_id = ${assetId}
        and due_at <= clock_timestamp() + interval '10 milliseconds'
      for update`.execute(tx)
    if (rows.length === 0) return []
    const found = await readAssetWatch(tx, watched)
    if (!found) {
      // Whatever the alarm saw is gone; the next time that it holds begins anew.
      await sql`delete from alarm_holds
        where tenant_id = ${tenantId} and alarm_id = ${alarmId} and asset_id = ${assetId}`.execute(tx)
      return []
    }
    const { rule, asset, newest } = found
    const holds = rule.condition?.(asset.known) ?? false
    return applyCrossings(tx, [
      {
        ...watched,
        revision: rule.revision,
        crossing: holds ? 'crosses' : 'release',
        value: newest.value ?? null,
        timeMs: newest.ms,
        orderMs: newest.ms,
      },
    ])
  })
}
