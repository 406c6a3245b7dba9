/** Routes for users, groups and passwords. */
import Type from 'typebox'
import { listVisible } from '../access/list-visible.ts'
import type { Context } from '../context.ts'
import { permission, privilege, visible } from '../http/access.ts'
import { PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { changeUser, removeUser } from './change-user.ts'
import { createUser } from './create-user.ts'
import { groupRoutes } from './groups/routes.ts'
import { passwordRoutes } from './password/routes.ts'
import { mailLink } from './password/mail-link.ts'
import { passwordResetRoutes } from './password/reset-routes.ts'
import { ChangeUser, CreateUser, UserRecord, userShape } from './schema.ts'
import { getUser, listUsers } from './store.ts'

const UserPath = Type.Object({ userId: Uuid })
const userId = (p: Record<string, string>) => p.userId!

export const userRoutes = (ctx: Context): Route[] => [
  ...recordRoutes(ctx),
  ...groupRoutes(ctx),
  ...passwordRoutes(ctx),
  ...passwordResetRoutes(ctx),
]

const recordRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/users',
    summary: 'Create a user, with a password or a mailed link that sets it',
    access: privilege('user_management'),
    body: CreateUser,
    response: { 201: UserRecord },
    handler: ({ body, caller }) => createUser(ctx, caller, body),
  }),
  route({
    method: 'GET',
    url: '/v1/users',
    summary: 'List users',
    access: visible('user'),
    query: PlatformSearchQuery,
    response: { 200: Type.Array(UserRecord) },
    handler: (input) =>
      listVisible(ctx, input, {
        type: 'user',
        columns: { id: 'users.id' },
        searched: ['users.display_name', 'users.email'],
        list: listUsers,
        shape: userShape,
      }),
  }),
  route({
    method: 'GET',
    url: '/v1/users/{userId}',
    summary: 'Get a user',
    access: permission('view', 'user', userId),
    params: UserPath,
    response: { 200: UserRecord },
    handler: async ({ params, caller }) => userShape(await getUser(ctx.db, caller.tenantId, params.userId)),
  }),
  route({
    method: 'PATCH',
    url: '/v1/users/{userId}',
    summary: "Change a user's name or phone number, or disable them",
    access: permission('manage', 'user', userId),
    params: UserPath,
    body: ChangeUser,
    response: { 200: UserRecord },
    handler: ({ params, body, caller }) => changeUser(ctx.db, caller, params.userId, body),
  }),
  route({
    method: 'POST',
    url: '/v1/users/{userId}/password-link',
    operationId: 'sendPasswordLink',
    summary: 'Mail a user a link that works once, within three days, and sets a new password',
    access: permission('manage', 'user', userId),
    params: UserPath,
    response: { 202: null },
    handler: ({ params, caller }) => mailLink(ctx, caller, params.userId),
  }),
  route({
    method: 'DELETE',
    url: '/v1/users/{userId}',
    summary: 'Delete a user with their sign-ins, API tokens and relations',
    access: permission('delete', 'user', userId),
    params: UserPath,
    response: { 204: null },
    handler: ({ params, caller }) => removeUser(ctx.db, caller, params.userId),
  }),
]
