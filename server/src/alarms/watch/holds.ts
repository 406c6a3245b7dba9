/** Job that runs when a condition should have held long enough, for assets that sent no further sample. */
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { applyCrossings } from '../statuses/apply-crossings.ts'
import { changeStatuses } from '../statuses/change-statuses.ts'
import { readAssetWatch, type Watched } from './asset-from-database.ts'

/** The alarm activates only if the condition still holds for the newest samples in the database. */
export async function checkHold({ alarms }: Pick<Context, 'alarms'>, watched: Watched): Promise<void> {
  const { tenantId, alarmId, assetId } = watched
  await changeStatuses(alarms, async (tx) => {
    // The alarm is locked before its statuses, as everywhere, to avoid a deadlock.
    await sql`select from alarms where id = ${alarmId} for share`.execute(tx)
    const { rows } = await sql<{ since: Date }>`
      select since from alarm_holds
      where tenant_id = ${tenantId} and alarm_id = ${alarmId} and asset_id = ${assetId}
        and due_at <= clock_timestamp() + interval '10 milliseconds'
      for update`.execute(tx)
    if (rows.length === 0) return []
    const found = await readAssetWatch(tx, watched)
    if (!found) {
      // The alarm no longer watches the asset, or its samples are gone. The hold starts again with the next sample that
      // meets the condition.
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
