import { accessIn } from '../access/decisions/decisions.ts'
import { requireOwnerLeft } from '../access/relations/last-owner.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { mergeContacts, requireContacts } from './contacts.ts'
import { requireMayCreateBelow } from './create-organization.ts'
import { getPrivilegesAbove, lockTenant, requireSubsetBelow, requireSubset } from './privileges.ts'
import { toOrganizationRecord } from './relations.ts'
import { type ChangeOrganization, organizationShape } from './schema.ts'
import { deleteOrganization, getOrganizationForUpdate, listHeld, updateOrganization } from './store.ts'

const resourceType = 'organization'

/**
 * Adding a privilege requires the same rights as creating the organization.
 * @throws forbidden, not_found; validation_error for privileges that are not above, conflict for those still held below
 */
export const changeOrganization = (
  ctx: Context,
  caller: Caller,
  organizationId: string,
  body: ChangeOrganization,
) =>
  audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
    const { tenantId } = caller
    if (body.privileges) await lockTenant(tx, tenantId)
    const before = organizationShape(await getOrganizationForUpdate(tx, tenantId, organizationId))
    const contacts = mergeContacts(before.contacts, body.contacts)
    if (body.contacts) await requireContacts(tx, tenantId, contacts)
    if (body.privileges) {
      const parent = before.parentOrganizationId
      requireSubset(body.privileges, await getPrivilegesAbove(tx, tenantId, parent))
      if (body.privileges.some((privilege) => !before.privileges.includes(privilege)))
        await requireMayCreateBelow(accessIn(tx), caller, parent)
      await requireSubsetBelow(tx, tenantId, before.id, body.privileges)
    }
    const row = await updateOrganization(tx, tenantId, before.id, { ...before, ...body, contacts })
    const after = organizationShape(row)
    return { before, after, result: toOrganizationRecord(tx, caller, row) }
  })

/** @throws not_found; conflict while it contains objects, and for the tenant's last root organization or owner */
export const removeOrganization = (ctx: Context, caller: Caller, organizationId: string): Promise<void> =>
  audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    const { tenantId } = caller
    await lockTenant(tx, tenantId)
    const before = organizationShape(await getOrganizationForUpdate(tx, tenantId, organizationId))
    const held = await listHeld(tx, tenantId, before.id)
    if (held.length > 0) {
      const what = held.map(({ type, count }) => `${count} of type ${type}`).join(', ')
      throw new ApiError('conflict', `The organization still holds ${what}. Delete them first.`, {
        holds: Object.fromEntries(held.map(({ type, count }) => [type, count])),
      })
    }
    await deleteOrganization(tx, tenantId, before.id)
    await requireOwnerLeft(tx, tenantId)
    const root = await tx
      .selectFrom('organizations')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('parent_organization_id', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (!root) throw new ApiError('conflict', 'A tenant needs a root organization, and this is its last.')
    return { before }
  })
