import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type AuthorizationContext,
  authorizationContextColumn,
  insertViewers,
} from '../access/relations/authorization-context.ts'
import { deleteObjectRelations, insertParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { orNotFound } from '../http/errors.ts'
import { countFitting, type PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'
import type { Content } from './content.ts'
import type { History, ResourceRow } from './schema.ts'
import type { Tag, Tags } from './tags.ts'

export interface Description {
  displayName: string
  description: string | null
  tags: Tags
}

const HISTORY_ENTRIES = 20

/** A column with the history of the resource from the audit log, the newest first. */
const history = sql`json_build_object('entries', coalesce((
    select json_agg(json_build_object(
      'at', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'actorType', e.actor_type, 'actorId', e.actor_id, 'action', e.action) order by e.id desc)
    from (
      select a.* from audit_log a
      where a.tenant_id = i.tenant_id and a.resource_type = 'resource_item' and a.resource_id = i.id::text
      order by a.id desc limit ${HISTORY_ENTRIES}
    ) e), '[]'))` as RawBuilder<History>

const selectResources = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('resource_items as i')
    .selectAll('i')
    .select(authorizationContextColumn('resource_item', 'i.tenant_id', 'i.id').as('authorization_context'))
    .select(history.as('history'))
    .where('i.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getResource(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectResources(db, tenantId).where('i.id', '=', id).executeTakeFirst(),
    'resource',
    id,
  )
}

/** Also locks the resource until the transaction ends. */
export async function getResourceForUpdate(tx: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectResources(tx, tenantId).where('i.id', '=', id).forUpdate('i').executeTakeFirst(),
    'resource',
    id,
  )
}

/**
 * Returns the number of rows that fit on the page, and one row more if more follow.
 * @param filters lists of alternatives; one of each list must match
 */
export async function listResources(
  db: Kysely<Tables>,
  tenantId: string,
  {
    visible,
    filters,
    page,
  }: { visible: Expression<SqlBool>; filters: { key: string; value: string }[][]; page: PageRequest },
): Promise<{ rows: ResourceRow[]; fitting: number }> {
  const found = await pageAfter(
    db
      .selectFrom('resource_items as i')
      .select('i.id')
      .select(sql<number>`case when i.document is null then 0 else i.size end::float8`.as('bytes'))
      .where('i.tenant_id', '=', tenantId)
      .where(visible)
      .where((eb) => eb.and(filters.map((alternatives) => eb.or(alternatives.map(hasTag))))),
    'i.id',
    page,
  )
  const fitting = countFitting(found, page.limit)
  const ids = found.slice(0, fitting + 1).map(({ id }) => id)
  if (ids.length === 0) return { rows: [], fitting }
  return {
    rows: await selectResources(db, tenantId).where('i.id', 'in', ids).orderBy('i.id').execute(),
    fitting,
  }
}

const hasTag = ({ key, value }: Tag) => sql<SqlBool>`i.tags @> ${JSON.stringify({ [key]: value })}::jsonb`

/**
 * Lists the tags in use by key and value.
 * @param after the last tag of the previous page
 * @returns one tag more than the limit if there are more
 */
export async function listTags(
  db: Kysely<Tables>,
  tenantId: string,
  { visible, limit, after }: { visible: Expression<SqlBool>; limit: number; after: Tag | undefined },
): Promise<Tag[]> {
  const { rows } = await sql<Tag>`
    select distinct t.key, t.value from resource_items i, jsonb_each_text(i.tags) t
    where i.tenant_id = ${tenantId} and ${visible}
      ${after ? sql`and (t.key, t.value) > (${after.key}, ${after.value})` : sql``}
    order by t.key, t.value limit ${limit + 1}`.execute(db)
  return rows
}

/** Finds which of the keys belong to a resource of any tenant, only for the sweep. */
export async function listKnownFileKeys(db: Kysely<Tables>, keys: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ file_key: string }>`
    select file_key from resource_items where file_key = any(${keys}::uuid[])`.execute(db)
  return new Set(rows.map((row) => row.file_key))
}

/** @param tx a transaction; the organization must belong to the tenant @returns its id */
export async function insertResource(
  tx: Kysely<Tables>,
  by: { tenantId: string; userId: string },
  resource: Description & Content & { organizationId: string; authorizationContext?: AuthorizationContext },
): Promise<string> {
  const { tenantId, userId } = by
  const { organizationId, authorizationContext } = resource
  const id = newId()
  await tx
    .insertInto('resource_items')
    .values({
      id,
      tenant_id: tenantId,
      organization_id: organizationId,
      ...descriptionColumns(resource),
      ...contentColumns(resource),
      created_by: userId,
      changed_by: userId,
    })
    .execute()
  await insertParent(tx, 'resource_item', { tenant_id: tenantId, organization_id: organizationId, id })
  if (authorizationContext)
    await insertViewers(tx, tenantId, { type: 'resource_item', id }, authorizationContext)
  return id
}

export async function updateResource(
  tx: Kysely<Tables>,
  by: { tenantId: string; userId: string },
  id: string,
  resource: Description & Content,
): Promise<void> {
  await tx
    .updateTable('resource_items')
    .set({
      ...descriptionColumns(resource),
      ...contentColumns(resource),
      changed_at: new Date(),
      changed_by: by.userId,
    })
    .where('tenant_id', '=', by.tenantId)
    .where('id', '=', id)
    .execute()
}

/** Also deletes its relations. The file stays until the transaction has committed. */
export async function deleteResource(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('resource_items').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'resource_item', id)
}

const descriptionColumns = ({ displayName, description, tags }: Description) => ({
  display_name: displayName,
  description,
  tags: JSON.stringify(tags),
})

const contentColumns = ({ contentType, size, sha256, document, file }: Content) => ({
  content_type: contentType,
  size,
  sha256,
  document: document && JSON.stringify(document),
  file_key: file?.key ?? null,
  original_file_name: file?.name ?? null,
})
