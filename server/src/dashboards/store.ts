import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { authorizationContextColumn, insertViewers } from '../access/relations/authorization-context.ts'
import { deleteObjectRelations, insertParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { orNotFound } from '../http/errors.ts'
import { countFitting, type PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'
import { deleteEdgesTo } from '../tree/edges/store.ts'
import type { CreateDashboard, DashboardRow } from './schema.ts'

const selectDashboards = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('dashboards as d')
    .selectAll('d')
    .select(authorizationContextColumn('dashboard', 'd.tenant_id', 'd.id').as('authorization_context'))
    .where('d.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getDashboard(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectDashboards(db, tenantId).where('d.id', '=', id).executeTakeFirst(),
    'dashboard',
    id,
  )
}

/** Also locks the dashboard until the transaction ends. */
export async function getDashboardForUpdate(tx: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectDashboards(tx, tenantId).where('d.id', '=', id).forUpdate('d').executeTakeFirst(),
    'dashboard',
    id,
  )
}

/** Returns the number of rows that fit on the page, and one row more if more follow. */
export async function listDashboards(
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<{ rows: DashboardRow[]; fitting: number }> {
  const found = await pageAfter(
    db
      .selectFrom('dashboards as d')
      .select(['d.id', 'd.data_bytes as bytes'])
      .where('d.tenant_id', '=', tenantId)
      .where(visible),
    'd.id',
    page,
  )
  const fitting = countFitting(found, page.limit)
  const ids = found.slice(0, fitting + 1).map(({ id }) => id)
  if (ids.length === 0) return { rows: [], fitting }
  return {
    rows: await selectDashboards(db, tenantId).where('d.id', 'in', ids).orderBy('d.id').execute(),
    fitting,
  }
}

/** @param tx a transaction; the organization must belong to the tenant */
export async function insertDashboard(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateDashboard & { id?: string; version?: number },
): Promise<DashboardRow> {
  const { id, organization_id } = await tx
    .insertInto('dashboards')
    .values({
      id: body.id ?? newId(),
      version: body.version ?? 1,
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
      data: JSON.stringify(body.data ?? {}),
    })
    .returning(['id', 'organization_id'])
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'dashboard', { tenant_id: tenantId, organization_id, id })
  const { authorizationContext } = body
  if (authorizationContext) await insertViewers(tx, tenantId, { type: 'dashboard', id }, authorizationContext)
  return getDashboard(tx, tenantId, id)
}

export async function updateDashboard(
  tx: Kysely<Tables>,
  tenantId: string,
  dashboard: { id: string; displayName: string; description: string | null; data: object },
): Promise<DashboardRow> {
  await tx
    .updateTable('dashboards')
    .set({
      display_name: dashboard.displayName,
      description: dashboard.description,
      data: JSON.stringify(dashboard.data),
      version: sql`version + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', dashboard.id)
    .execute()
  return getDashboard(tx, tenantId, dashboard.id)
}

/** Condition: the dashboard `d` has a variable for the assets of the model. [docs/dashboards#templates] */
export function isTemplateOf(modelId: string): Expression<SqlBool> {
  const template = JSON.stringify({ version: 1, variables: [{ kind: 'asset', modelId }] })
  return sql<SqlBool>`d.data @> ${template}::jsonb`
}

/** Lists the ids of dashboards with a widget that shows the resource. */
export async function listDashboardsShowing(
  db: Kysely<Tables>,
  tenantId: string,
  resourceId: string,
): Promise<string[]> {
  const widget = JSON.stringify({ widgets: [{ options: { resourceId } }] })
  const rows = await db
    .selectFrom('dashboards')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where(sql<SqlBool>`data @> ${widget}::jsonb`)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Also deletes its relations and its edges of the tree. */
export async function deleteDashboard(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('dashboards').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteEdgesTo(tx, tenantId, { type: 'dashboard', id })
  await deleteObjectRelations(tx, tenantId, 'dashboard', id)
}
