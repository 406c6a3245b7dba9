import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import type { WriteDraft } from './schema.ts'

/** [docs/dashboards#drafts] */
const DAYS_OF_DRAFTS = 90

type Owner = Pick<Caller, 'tenantId' | 'userId'>

/** @throws not_found */
export async function getDraft(db: Kysely<Tables>, { tenantId, userId }: Owner, dashboardId: string) {
  const row = await db
    .selectFrom('dashboard_drafts')
    .select(['version', 'data', 'changed_at'])
    .where('tenant_id', '=', tenantId)
    .where('dashboard_id', '=', dashboardId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return orNotFound(row, 'draft of the dashboard', dashboardId)
}

/** @param tx a transaction that has locked the dashboard */
export const writeDraft = (
  tx: Kysely<Tables>,
  { tenantId, userId }: Owner,
  { dashboardId, version, data }: WriteDraft & { dashboardId: string },
) => {
  const written = { version, data: JSON.stringify(data), changed_at: new Date() }
  return tx
    .insertInto('dashboard_drafts')
    .values({ dashboard_id: dashboardId, user_id: userId, tenant_id: tenantId, ...written })
    .onConflict((conflict) => conflict.columns(['dashboard_id', 'user_id']).doUpdateSet(written))
    .returning(['version', 'data', 'changed_at'])
    .executeTakeFirstOrThrow()
}

export async function deleteDraft(
  db: Kysely<Tables>,
  { tenantId, userId }: Owner,
  dashboardId: string,
): Promise<void> {
  await db
    .deleteFrom('dashboard_drafts')
    .where('tenant_id', '=', tenantId)
    .where('dashboard_id', '=', dashboardId)
    .where('user_id', '=', userId)
    .execute()
}

export const deleteExpiredDrafts = (db: Kysely<Tables>) =>
  sql`delete from dashboard_drafts where changed_at < now() - make_interval(days => ${DAYS_OF_DRAFTS})`.execute(
    db,
  )
