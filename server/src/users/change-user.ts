import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import { requireOwnerLeft } from '../access/relations/last-owner.ts'
import { revokeSignIns } from '../access/sign-in/refresh-tokens.ts'
import { audited } from '../audit/audited.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { deleteContact } from '../organizations/contacts.ts'
import { type ChangeUser, userShape } from './schema.ts'
import { deleteUser, getUserForUpdate, updateUser } from './store.ts'

const resourceType = 'user'

/**
 * A disabled user is refused at their next request, and has to sign in again once enabled.
 * @throws not_found; conflict for the tenant's last owner
 */
export const changeUser = (
  db: Kysely<Tables>,
  caller: Caller,
  userId: string,
  { displayName, phoneNumber, disabled }: Static<typeof ChangeUser>,
) =>
  audited(db, { actor: caller, action: 'update', resourceType }, async (tx) => {
    const { tenantId } = caller
    const found = await getUserForUpdate(tx, tenantId, userId)
    const row = await updateUser(tx, tenantId, found.id, {
      display_name: displayName,
      phone_number: phoneNumber,
      disabled_at: (disabled ?? found.disabled_at) ? (found.disabled_at ?? new Date()) : null,
    })
    if (row.disabled_at) {
      await revokeSignIns(tx, row.id)
      await requireOwnerLeft(tx, tenantId)
    }
    const [before, after] = [userShape(found), userShape(row)]
    return { before, after }
  })

/** @throws not_found; conflict for the tenant's last owner */
export const removeUser = (db: Kysely<Tables>, caller: Caller, userId: string): Promise<void> =>
  audited(db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    const { tenantId } = caller
    const before = userShape(await getUserForUpdate(tx, tenantId, userId))
    await deleteUser(tx, tenantId, before.id)
    await deleteContact(tx, tenantId, 'users', before.id)
    await requireOwnerLeft(tx, tenantId)
    return { before }
  })
