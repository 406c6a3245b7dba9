import type { Expression, Kysely, SqlBool, Updateable } from 'kysely'
import { deleteObjectRelations, insertRelations, insertTenantParent } from '../access/relations/store.ts'
import { pageAfter } from '../database/page.ts'
import type { Tables } from '../database/tables.ts'
import { ApiError, orNotFound } from '../http/errors.ts'
import type { UserRow } from '../database/tables/users.ts'
import type { PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'

export interface NewUser {
  displayName: string
  email: string
  /** null until the user follows the mailed link. */
  passwordHash: string | null
}

const selectUser = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

/** @throws not_found */
export const getUser = async (db: Kysely<Tables>, tenantId: string, id: string): Promise<UserRow> =>
  orNotFound(await selectUser(db, tenantId, id).executeTakeFirst(), 'user', id)

/** Also locks the user until the transaction ends. */
export const getUserForUpdate = async (tx: Kysely<Tables>, tenantId: string, id: string): Promise<UserRow> =>
  orNotFound(await selectUser(tx, tenantId, id).forUpdate().executeTakeFirst(), 'user', id)

/** Finds the user of the installation who owns the email, ignoring case. */
export const findUserByEmail = (db: Kysely<Tables>, email: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .where('owns_email', '=', true)
    .executeTakeFirst()

/** Returns one row more than the page's limit if more follow. */
export const listUsers = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<UserRow[]> =>
  pageAfter(db.selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where(visible), 'id', page)

/**
 * @param tx a transaction
 * @throws conflict if another user of the installation owns the email
 */
export async function insertUser(tx: Kysely<Tables>, tenantId: string, user: NewUser): Promise<UserRow> {
  const row = await insertUserUnlessEmailTaken(tx, tenantId, user)
  if (!row) throw emailConflict(user.email)
  return row
}

export const emailConflict = (email: string) =>
  new ApiError('conflict', `The email ${email} belongs to a user already. Use another one.`)

/** @param tx a transaction @returns undefined if another user of the installation owns the email */
export async function insertUserUnlessEmailTaken(
  tx: Kysely<Tables>,
  tenantId: string,
  user: NewUser,
): Promise<UserRow | undefined> {
  const row = await tx
    .insertInto('users')
    .values({
      id: newId(),
      tenant_id: tenantId,
      display_name: user.displayName,
      email: user.email,
      password_hash: user.passwordHash,
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) await insertUserRelations(tx, tenantId, row.id)
  return row
}

/** Assigns the user to the tenant, and lets the user manage their own record. */
export async function insertUserRelations(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await insertTenantParent(tx, tenantId, 'user', id)
  const [subject, resource] = [
    { subjectType: 'user', subjectId: id },
    { resourceType: 'user', resourceId: id },
  ] as const
  await insertRelations(tx, tenantId, [{ ...subject, ...resource, relation: 'manager' }])
}

/** @param changes an undefined field stays unchanged */
export const updateUser = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  changes: Pick<
    Updateable<Tables['users']>,
    'display_name' | 'phone_number' | 'disabled_at' | 'password_hash' | 'made_by_other'
  >,
): Promise<UserRow> =>
  tx
    .updateTable('users')
    .set(changes)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Deletes the user with their sign-ins, API tokens and relations. */
export async function deleteUser(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('users').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'user', id)
}
