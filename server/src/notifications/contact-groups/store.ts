import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { groupUserGroups, groupUsers, linkedIds, requireKnown, updateLinks } from '../linked-ids.ts'
import type { ChangeContactGroup, ContactGroupRow, CreateContactGroup } from './schema.ts'

const selectGroups = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('contact_groups as c')
    .selectAll('c')
    .select([linkedIds(groupUsers, 'c.id').as('users'), linkedIds(groupUserGroups, 'c.id').as('user_groups')])
    .where('c.tenant_id', '=', tenantId)

/** @throws not_found */
export async function getContactGroup(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectGroups(db, tenantId).where('c.id', '=', id).executeTakeFirst(),
    'contact group',
    id,
  )
}

/**
 * Also locks the group until the transaction ends. It is read after locking, because its members are in other tables.
 */
export async function getContactGroupForUpdate(tx: Kysely<Tables>, tenantId: string, id: string) {
  await tx
    .selectFrom('contact_groups')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .execute()
  return getContactGroup(tx, tenantId, id)
}

/** Returns one row more than the page's limit where more follow. */
export const listContactGroups = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<ContactGroupRow[]> => pageAfter(selectGroups(db, tenantId).where(visible), 'c.id', page)

/**
 * @param tx a transaction; the organization must belong to the tenant
 * @throws validation_error that names users and groups that do not exist
 */
export async function insertContactGroup(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateContactGroup,
): Promise<ContactGroupRow> {
  const { id, organization_id } = await tx
    .insertInto('contact_groups')
    .values({
      id: newId(),
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
    })
    .returning(['id', 'organization_id'])
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'contact_group', { tenant_id: tenantId, organization_id, id })
  await updateMembers(tx, tenantId, id, body)
  return getContactGroup(tx, tenantId, id)
}

/**
 * @param changes undefined fields stay as they are
 * @throws validation_error that names users and groups that do not exist
 */
export async function updateContactGroup(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  changes: ChangeContactGroup,
): Promise<ContactGroupRow> {
  const { displayName: display_name, description } = changes
  if (display_name !== undefined || description !== undefined)
    await tx
      .updateTable('contact_groups')
      .set({ display_name, description })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute()
  await updateMembers(tx, tenantId, id, changes)
  return getContactGroup(tx, tenantId, id)
}

async function updateMembers(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  { users, userGroups }: Pick<ChangeContactGroup, 'users' | 'userGroups'>,
) {
  if (users) {
    await requireKnown(tx, tenantId, { links: groupUsers, ids: users, path: 'users' })
    await updateLinks(tx, groupUsers, id, users)
  }
  if (userGroups) {
    await requireKnown(tx, tenantId, { links: groupUserGroups, ids: userGroups, path: 'userGroups' })
    await updateLinks(tx, groupUserGroups, id, userGroups)
  }
}

/** Deletes the contact group, its relations and its subscriptions. */
export async function deleteContactGroup(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('contact_groups').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'contact_group', id)
}
