/** Reads the open alarms of some assets, page by page. */
import type { Kysely } from 'kysely'
import { statusShape } from '../../alarms/statuses/shape.ts'
import type { Tables } from '../../database/tables.ts'
import { type Update, alarmUpdate } from '../delivery/update.ts'
import type { WatchedOwner } from '../state.ts'

const PAGE = 1000

export async function* openAlarms(
  db: Kysely<Tables>,
  tenantId: string,
  owners: WatchedOwner[],
): AsyncGenerator<Update[]> {
  const assetIds = owners.map(({ ownerId }) => ownerId)
  let after: string | undefined
  for (;;) {
    const page = await db
      .selectFrom('alarm_statuses')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('asset_id', 'in', assetIds)
      .where('state', '<>', 'cleared')
      .$if(after !== undefined, (q) => q.where('id', '>', after!))
      .orderBy('id')
      .limit(PAGE)
      .execute()
    yield page.map((row) => alarmUpdate(statusShape(row)))
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}
