/** Groups of users. Their members are relations (user, U, group, G, `member`). [docs/organizations#groups] */
import Type from 'typebox'
import { requireOwnerLeft } from '../../access/relations/last-owner.ts'
import { audited } from '../../audit/audited.ts'
import { listVisible } from '../../access/list-visible.ts'
import type { Context } from '../../context.ts'
import { permission, privilege, visible } from '../../http/access.ts'
import { PlatformSearchQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { deleteContact } from '../../organizations/contacts.ts'
import { grantToCreator } from '../grant-to-creator.ts'
import { ChangeGroup, CreateGroup, GroupRecord, groupShape } from './schema.ts'
import { deleteGroup, getGroup, getGroupForUpdate, insertGroup, listGroups, updateGroup } from './store.ts'

const GroupPath = Type.Object({ groupId: Uuid })
const groupId = (p: Record<string, string>) => p.groupId!
const resourceType = 'group'

export const groupRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/groups',
    summary: 'Create a group of users',
    access: privilege('user_management'),
    body: CreateGroup,
    response: { 201: GroupRecord },
    handler: ({ body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
        const after = groupShape(await insertGroup(tx, caller.tenantId, body))
        await grantToCreator(tx, caller, { type: 'group', id: after.id })
        return { after }
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/groups',
    summary: 'List groups',
    access: visible('group'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(GroupRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'group',
        columns: { id: 'groups.id' },
        searched: ['groups.display_name'],
        list: listGroups,
        shape: groupShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/groups/{groupId}',
    summary: 'Get a group',
    access: permission('view', 'group', groupId),
    params: GroupPath,
    response: { 200: GroupRecord },
    handler: async ({ params, caller }) =>
      groupShape(await getGroup(ctx.db, caller.tenantId, params.groupId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/groups/{groupId}',
    summary: "Change a group's name or description",
    access: permission('manage', 'group', groupId),
    params: GroupPath,
    body: ChangeGroup,
    response: { 200: GroupRecord },
    handler: ({ params, body, caller }) =>
      audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
        const { tenantId } = caller
        const before = groupShape(await getGroupForUpdate(tx, tenantId, params.groupId))
        const after = groupShape(await updateGroup(tx, tenantId, { ...before, ...body }))
        return { before, after }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/groups/{groupId}',
    summary: 'Delete a group; its members lose its permissions at once',
    access: permission('delete', 'group', groupId),
    params: GroupPath,
    response: { 204: null },
    handler: ({ params, caller }) =>
      audited(ctx.db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
        const before = groupShape(await getGroupForUpdate(tx, caller.tenantId, params.groupId))
        await deleteGroup(tx, caller.tenantId, before.id)
        await deleteContact(tx, caller.tenantId, 'userGroups', before.id)
        await requireOwnerLeft(tx, caller.tenantId)
        return { before }
      }),
  }),
]
