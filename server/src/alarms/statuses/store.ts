import { type Expression, type Kysely, type SqlBool } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'
import type { AlarmStatusRow } from '../../database/tables/alarms.ts'

export const findStatus = (
  db: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<AlarmStatusRow | undefined> =>
  db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export interface StatusFilter {
  isCleared: boolean
  alarmId?: string
  assetId?: string
  /** Visibility filters of the alarm and of the asset. */
  visible: Expression<SqlBool>[]
}

/** Newest first. Returns one row more than the page's limit where more follow. */
export const listStatuses = (
  db: Kysely<Tables>,
  tenantId: string,
  { isCleared, alarmId, assetId, visible }: StatusFilter,
  page: PageRequest,
): Promise<AlarmStatusRow[]> =>
  pageAfter(
    db
      .selectFrom('alarm_statuses as s')
      .selectAll('s')
      .where('s.tenant_id', '=', tenantId)
      .where('s.state', isCleared ? '=' : '<>', 'cleared')
      .where((eb) => eb.and(visible))
      .$if(alarmId !== undefined, (q) => q.where('s.alarm_id', '=', alarmId!))
      .$if(assetId !== undefined, (q) => q.where('s.asset_id', '=', assetId!)),
    's.id',
    page,
    'desc',
  )
