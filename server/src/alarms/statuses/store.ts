import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'
import { assetsInNode } from '../../tree/assets-in-node.ts'
import type { AlarmState, AlarmStatusRow } from '../../database/tables/alarms.ts'

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
  id?: string
  /** Open ones or cleared ones; both where absent. */
  isCleared?: boolean
  alarmId?: string
  assetId?: string
  /** Only assets in this node, on any level. */
  nodeId?: string
  minSeverity?: number
  state?: AlarmState
  /** Visibility filters of the alarm and of the asset. */
  visible: Expression<SqlBool>[]
}

/** Newest first. Returns one row more than the page's limit where more follow. */
export const listStatuses = (
  db: Kysely<Tables>,
  tenantId: string,
  { id, isCleared, alarmId, assetId, nodeId, minSeverity, state, visible }: StatusFilter,
  page: PageRequest,
): Promise<AlarmStatusRow[]> =>
  pageAfter(
    db
      .selectFrom('alarm_statuses as s')
      .selectAll('s')
      .where('s.tenant_id', '=', tenantId)
      .$if(id !== undefined, (q) => q.where('s.id', '=', id!))
      .$if(isCleared !== undefined, (q) => q.where('s.state', isCleared ? '=' : '<>', 'cleared'))
      .where((eb) => eb.and(visible))
      .$if(alarmId !== undefined, (q) => q.where('s.alarm_id', '=', alarmId!))
      .$if(assetId !== undefined, (q) => q.where('s.asset_id', '=', assetId!))
      .$if(minSeverity !== undefined, (q) => q.where('s.severity', '>=', minSeverity!))
      .$if(state !== undefined, (q) => q.where('s.state', '=', state!))
      .$if(nodeId !== undefined, (q) => q.where(isInNode(tenantId, nodeId!))),
    's.id',
    page,
    'desc',
  )

/** Whether the asset of `alarm_statuses as s` stands in a node, directly or below one of its nodes or assets. */
const isInNode = (tenantId: string, nodeId: string) =>
  sql<SqlBool>`s.asset_id in ${assetsInNode(tenantId, nodeId)}`
