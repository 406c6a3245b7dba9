/** API tokens for automation. The token itself is shown only once, when it is created. [docs/sign-in#api-tokens] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { type Caller, user } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { DisplayName, Timestamp, Uuid } from '../../http/shapes.ts'
import { privileges } from '../privileges.ts'
import { ApiTokenSummary, NewApiToken, requireFuture } from './schema.ts'
import { apiTokenShape, deleteApiToken, insertApiToken, listApiTokens } from './store.ts'

const CreateApiToken = Type.Object({
  displayName: DisplayName,
  expiresAt: Type.Optional({
    ...Timestamp,
    description: 'A token that is created with another API token expires with it at the latest',
  }),
  privileges: Type.Optional(Type.Array(Type.Enum([...privileges]), { uniqueItems: true })),
})

export const apiTokenRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/api-tokens',
    summary: 'Create an API token; it is shown only once',
    access: user(),
    secret: true,
    body: CreateApiToken,
    response: { 201: NewApiToken },
    handler: async ({ body, caller }) => {
      requireOwnPrivileges(caller, body.privileges)
      const expiresAt = body.expiresAt ? new Date(body.expiresAt) : null
      if (expiresAt) requireFuture(expiresAt)
      const wanted = {
        displayName: body.displayName,
        privileges: body.privileges ?? (caller.privileges as string[] | null),
        expiresAt,
      }
      return ctx.db.transaction().execute((tx) => insertApiToken(tx, caller, wanted))
    },
  }),
  route({
    method: 'GET',
    url: '/v1/api-tokens',
    summary: "The caller's API tokens; for a limited API token, those that were made with it",
    access: user(),
    query: PlatformPageQuery,
    response: { 200: Type.Array(ApiTokenSummary) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listApiTokens(ctx.db, caller, page)
      return platformPage({ rows, limit: page.limit, shape: apiTokenShape, request })
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/api-tokens/{tokenId}',
    summary: 'Revoke an API token and those that were created with it, at once',
    access: user(),
    params: Type.Object({ tokenId: Uuid }),
    response: { 204: null },
    handler: ({ caller, params }) =>
      ctx.db.transaction().execute((tx) => deleteApiToken(tx, caller, params.tokenId)),
  }),
]

/** A limited token cannot create a token with more privileges than its own. */
function requireOwnPrivileges(caller: Caller, wanted: string[] | undefined) {
  if (caller.privileges === null) return
  const beyond = (wanted ?? []).filter((privilege) => !caller.privileges!.includes(privilege))
  if (beyond.length === 0) return
  const message = `This API token does not have ${beyond.join(', ')} itself.`
  throw new ApiError('forbidden', message, { required: { privileges: beyond } })
}
