import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { notFound, orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import type { DashboardRow } from '../schema.ts'
import type { VersionRow } from './schema.ts'

/** [docs/dashboards#versions] */
const MAX_VERSIONS = 100
const MAX_BYTES = 20 * 1024 * 1024
const DAYS_OF_DELETED = 90

type Actor = Pick<Caller, 'userId' | 'tokenId'>

/** Also deletes the oldest versions beyond the limits. */
export async function recordVersion(
  tx: Kysely<Tables>,
  actor: Actor,
  action: 'create' | 'update' | 'restore',
  row: DashboardRow,
): Promise<DashboardRow> {
  await insertVersion(tx, actor, { action, row, data: JSON.stringify(row.data) })
  await sql`
    delete from dashboard_versions v using (
      select version, row_number() over newest as place, sum(data_bytes) over newest as bytes
      from dashboard_versions where tenant_id = ${row.tenant_id} and dashboard_id = ${row.id}
      window newest as (order by version desc)
    ) o
    where v.tenant_id = ${row.tenant_id} and v.dashboard_id = ${row.id} and v.version = o.version
      and (o.place > ${MAX_VERSIONS} or o.bytes > ${MAX_BYTES})`.execute(tx)
  return row
}

/** A deletion is a version without data. */
export const recordDeletion = (tx: Kysely<Tables>, actor: Actor, row: DashboardRow): Promise<void> =>
  insertVersion(tx, actor, { action: 'delete', row: { ...row, version: row.version + 1 }, data: null })

interface NewVersion {
  action: 'create' | 'update' | 'restore' | 'delete'
  row: DashboardRow
  data: string | null
}

async function insertVersion(tx: Kysely<Tables>, actor: Actor, { action, row, data }: NewVersion) {
  await tx
    .insertInto('dashboard_versions')
    .values({
      dashboard_id: row.id,
      version: row.version,
      tenant_id: row.tenant_id,
      organization_id: row.organization_id,
      action,
      user_id: actor.userId,
      token_id: actor.tokenId ?? null,
      display_name: row.display_name,
      description: row.description,
      data,
    })
    .execute()
}

const selectVersions = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('dashboard_versions as v')
    .leftJoin('users as u', 'u.id', 'v.user_id')
    .select([
      'v.dashboard_id',
      'v.version',
      'v.tenant_id',
      'v.organization_id',
      'v.action',
      'v.user_id',
      'v.token_id',
      'v.created_at',
      'v.display_name',
      'v.description',
      'v.data_bytes',
      'u.display_name as user_name',
    ])
    .where('v.tenant_id', '=', tenantId)

/** Lists versions without their data, newest first. */
export const listVersions = (
  db: Kysely<Tables>,
  tenantId: string,
  dashboardId: string,
  page: PageRequest,
): Promise<VersionRow[]> =>
  pageAfter(selectVersions(db, tenantId).where('v.dashboard_id', '=', dashboardId), 'v.version', page, 'desc')

/** @throws not_found */
export async function getVersion(
  db: Kysely<Tables>,
  tenantId: string,
  { dashboardId, version }: { dashboardId: string; version: number },
) {
  const row = await selectVersions(db, tenantId)
    .select('v.data')
    .where('v.dashboard_id', '=', dashboardId)
    .where('v.version', '=', version)
    .executeTakeFirst()
  return orNotFound(row, `version of the dashboard ${dashboardId},`, String(version))
}

/** A deletion of which the dashboard has not been restored. */
const selectDeletions = (db: Kysely<Tables>, tenantId: string) =>
  selectVersions(db, tenantId)
    .where('v.action', '=', 'delete')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('dashboard_versions as later')
            .whereRef('later.dashboard_id', '=', 'v.dashboard_id')
            .whereRef('later.version', '>', 'v.version'),
        ),
      ),
    )

export const listDeletions = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<VersionRow[]> => pageAfter(selectDeletions(db, tenantId).where(visible), 'v.dashboard_id', page)

/** Also locks the deletion, so that a dashboard is restored once. @throws not_found */
export async function getDeletionForUpdate(tx: Kysely<Tables>, tenantId: string, dashboardId: string) {
  await tx
    .selectFrom('dashboard_versions')
    .select('version')
    .where('tenant_id', '=', tenantId)
    .where('dashboard_id', '=', dashboardId)
    .where('action', '=', 'delete')
    .forUpdate()
    .execute()
  // A statement of its own sees what was committed while the first one waited for the lock.
  const row = await selectDeletions(tx, tenantId).where('v.dashboard_id', '=', dashboardId).executeTakeFirst()
  return orNotFound(row, 'deleted dashboard', dashboardId)
}

/** The newest version with data. @throws not_found */
export async function getLastVersion(tx: Kysely<Tables>, tenantId: string, dashboardId: string) {
  const row = await tx
    .selectFrom('dashboard_versions')
    .select(['organization_id', 'display_name', 'description', 'data'])
    .where('tenant_id', '=', tenantId)
    .where('dashboard_id', '=', dashboardId)
    .where('data', 'is not', null)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row?.data) throw notFound('deleted dashboard', dashboardId)
  return { ...row, data: row.data }
}

/** Deletes the versions of dashboards that were deleted long ago. */
export const deleteExpiredVersions = (db: Kysely<Tables>) =>
  sql`
    delete from dashboard_versions v using dashboard_versions deletion
    where deletion.action = 'delete' and deletion.created_at < now() - make_interval(days => ${DAYS_OF_DELETED})
      and v.dashboard_id = deletion.dashboard_id
      and not exists (select from dashboards d where d.id = deletion.dashboard_id)
      and not exists (
        select from dashboard_versions later
        where later.dashboard_id = deletion.dashboard_id and later.version > deletion.version
      )`.execute(db)
