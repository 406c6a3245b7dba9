/**
 * Routes of contact groups: users and groups of users that receive notifications. [docs/notifications#contact-groups]
 */
import Type from 'typebox'
import { listVisible } from '../../access/list-visible.ts'
import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { ChangeContactGroup, ContactGroupRecord, contactGroupShape, CreateContactGroup } from './schema.ts'
import {
  deleteContactGroup,
  getContactGroup,
  getContactGroupForUpdate,
  insertContactGroup,
  listContactGroups,
  updateContactGroup,
} from './store.ts'

const ContactGroupPath = Type.Object({ contactGroupId: Uuid })
const contactGroupId = (p: Record<string, string>) => p.contactGroupId!
const resourceType = 'contact_group'

export const contactGroupRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/contactgroups',
    operationId: 'createContactGroup',
    summary: 'Create a contact group',
    access: privilege('contact_group_management'),
    body: CreateContactGroup,
    response: { 201: ContactGroupRecord },
    handler: async ({ body, caller }) => {
      await requirePrivilegeIn(ctx, caller, 'contact_group_management', body.organizationId)
      return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => ({
        after: contactGroupShape(await insertContactGroup(tx, caller.tenantId, body)),
      }))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/contactgroups',
    operationId: 'listContactGroups',
    summary: 'List contact groups',
    access: visible('contact_group'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(ContactGroupRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'contact_group',
        columns: { id: 'c.id', organization: 'c.organization_id' },
        searched: ['c.display_name'],
        list: listContactGroups,
        shape: contactGroupShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/contactgroups/{contactGroupId}',
    operationId: 'getContactGroup',
    summary: 'Get a contact group',
    access: permission('view', 'contact_group', contactGroupId),
    params: ContactGroupPath,
    response: { 200: ContactGroupRecord },
    handler: async ({ params, caller }) =>
      contactGroupShape(await getContactGroup(ctx.db, caller.tenantId, params.contactGroupId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/contactgroups/{contactGroupId}',
    operationId: 'patchContactGroup',
    summary: "Change a contact group's name, description, users or user groups",
    access: permission('manage', 'contact_group', contactGroupId),
    params: ContactGroupPath,
    body: ChangeContactGroup,
    response: { 200: ContactGroupRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = contactGroupShape(await getContactGroupForUpdate(tx, tenantId, params.contactGroupId))
        const after = contactGroupShape(await updateContactGroup(tx, tenantId, before.id, body))
        return { before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/contactgroups/{contactGroupId}',
    operationId: 'deleteContactGroup',
    summary: 'Delete a contact group; it receives no more notifications',
    access: permission('delete', 'contact_group', contactGroupId),
    params: ContactGroupPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const before = contactGroupShape(
          await getContactGroupForUpdate(tx, caller.tenantId, params.contactGroupId),
        )
        await deleteContactGroup(tx, caller.tenantId, before.id)
        return { before }
      }),
  }),
]
