import { type Access, requirePrivilegeIn, requireTenantOwner } from '../access/require.ts'
import type { RelationTuple } from '../access/relations/store.ts'
import { writeRelations } from '../access/relations/write-relations.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import { mergeContacts, noContacts, requireContacts } from './contacts.ts'
import { getPrivilegesAbove, requireSubset } from './privileges.ts'
import { toOrganizationRecord } from './relations.ts'
import { type CreateOrganization, organizationShape, type OrganizationRelations } from './schema.ts'
import { insertOrganization } from './store.ts'
import { getTemplate } from './templates/store.ts'

/**
 * Requires `organization_management` in the parent, or an owner of the tenant for a root organization. @throws
 * forbidden, not_found
 */
export const requireMayCreateBelow = (access: Access, caller: Caller, parentOrganizationId: string | null) =>
  parentOrganizationId === null
    ? requireTenantOwner(access, caller)
    : requirePrivilegeIn(access, caller, 'organization_management', parentOrganizationId)

/**
 * Without a value in the body or the template, the organization gets all privileges of its parent and no contacts.
 * @throws forbidden; not_found for parent or template; validation_error for privileges that are not above
 */
export async function createOrganization(ctx: Context, caller: Caller, body: CreateOrganization) {
  const { tenantId } = caller
  const parent = body.parentOrganizationId ?? null
  await requireMayCreateBelow(ctx, caller, parent)
  return ctx.db.transaction().execute(async (tx) => {
    const template = body.templateId ? await getTemplate(tx, tenantId, body.templateId) : undefined
    const above = await getPrivilegesAbove(tx, tenantId, parent)
    const fields = {
      displayName: body.displayName,
      description: body.description === undefined ? (template?.description ?? null) : body.description,
      privileges: body.privileges ?? template?.privileges ?? above,
      contacts: body.contacts ? mergeContacts(noContacts, body.contacts) : (template?.contacts ?? noContacts),
    }
    requireSubset(fields.privileges, above)
    await requireContacts(tx, tenantId, fields.contacts)
    const row = await insertOrganization(tx, tenantId, parent, fields)
    const after = organizationShape(row)
    const resourceType = 'organization'
    await recordAudit(tx, caller, { action: 'create', resourceType, resourceId: after.id, after })
    await writeRelations(tx, caller, makeTuples(after.id, body.relations ?? {}))
    return toOrganizationRecord(tx, caller, row)
  })
}

/** [docs/access#relations] */
const makeTuples = (id: string, relations: OrganizationRelations): RelationTuple[] => {
  const organization = { resourceType: 'organization', resourceId: id } as const
  return [
    ...(relations.GroupToOrgRelations ?? []).map(({ groupId, relation }) => ({
      subjectType: 'group' as const,
      subjectId: groupId,
      ...organization,
      relation,
    })),
    ...(relations.UserToOrgRelations ?? []).map(({ userId, relation }) => ({
      subjectType: 'user' as const,
      subjectId: userId,
      ...organization,
      relation,
    })),
    ...(relations.OrgToResourceRelations ?? []).map((resource) => ({
      subjectType: 'organization' as const,
      subjectId: id,
      ...resource,
    })),
  ]
}
