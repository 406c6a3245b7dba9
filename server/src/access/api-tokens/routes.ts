/** Tokens for automation. The token itself is shown once, when it is made. [contract §2] */
import Type from 'typebox'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { type Caller, user } from '../../http/access.ts'
import { ApiError, notFound, validationError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { DisplayName, Nullable, Timestamp, timestampOf, Uuid } from '../../http/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { privileges } from '../privileges.ts'
import { newApiToken } from './verify.ts'

const CreateApiToken = Type.Object({
  displayName: DisplayName,
  expiresAt: Type.Optional(Timestamp),
  privileges: Type.Optional(Type.Array(Type.Enum([...privileges]), { uniqueItems: true })),
})

const summary = {
  id: Uuid,
  displayName: Type.String(),
  privileges: Nullable(Type.Array(Type.String())),
  expiresAt: Nullable(Timestamp),
  createdAt: Timestamp,
}
const ApiTokenSummary = Type.Object(summary, { title: 'ApiToken' })
const NewApiToken = Type.Object({ ...summary, token: Type.String() }, { title: 'NewApiToken' })

export const apiTokenRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/api-tokens',
    summary: 'Make an API token; it is shown this once',
    access: user(),
    body: CreateApiToken,
    response: { 201: NewApiToken },
    handler: async ({ body, caller }) => {
      refuseMoreThanOwn(caller, body.privileges)
      const expiresAt = body.expiresAt ? new Date(body.expiresAt) : null
      if (expiresAt && expiresAt <= new Date())
        throw validationError({ path: 'expiresAt', message: 'must lie in the future' })
      const id = newId()
      const { token, secretHash } = newApiToken(id)
      const record = await ctx.db.transaction().execute(async (tx) => {
        const row = await tx
          .insertInto('api_tokens')
          .values({
            id,
            tenant_id: caller.tenantId,
            user_id: caller.userId,
            display_name: body.displayName,
            secret_hash: secretHash,
            privileges: body.privileges ?? (caller.privileges as string[] | null),
            expires_at: expiresAt,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        const after = shapeOf(row)
        await recordAudit(tx, caller, { action: 'create', resourceType: 'api_token', resourceId: id, after })
        return after
      })
      return { ...record, token }
    },
  }),
  route({
    method: 'GET',
    url: '/v1/api-tokens',
    summary: "The caller's API tokens",
    access: user(),
    query: PlatformPageQuery,
    response: { 200: Type.Array(ApiTokenSummary) },
    handler: async ({ caller, query, request }) => {
      const { limit, after } = pageRequest(query, isUuid)
      const rows = await ctx.db
        .selectFrom('api_tokens')
        .selectAll()
        .where('user_id', '=', caller.userId)
        .$if(after !== undefined, (q) => q.where('id', '>', after!))
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      return platformPage(rows, limit, (row) => row.id, shapeOf, request)
    },
  }),
  route({
    method: 'DELETE',
    url: '/v1/api-tokens/{tokenId}',
    summary: 'Revoke an API token, at once',
    access: user(),
    params: Type.Object({ tokenId: Uuid }),
    response: { 204: null },
    handler: async ({ caller, params }) => {
      await ctx.db.transaction().execute(async (tx) => {
        const row = await tx
          .deleteFrom('api_tokens')
          .where('id', '=', params.tokenId)
          .where('user_id', '=', caller.userId)
          .returningAll()
          .executeTakeFirst()
        if (!row) throw notFound('API token', params.tokenId)
        const before = shapeOf(row)
        await recordAudit(tx, caller, {
          action: 'delete',
          resourceType: 'api_token',
          resourceId: row.id,
          before,
        })
      })
    },
  }),
]

/** A limited token makes no token that may do more than itself. */
function refuseMoreThanOwn(caller: Caller, wanted: string[] | undefined) {
  if (caller.privileges === null) return
  const beyond = (wanted ?? []).filter((privilege) => !caller.privileges!.includes(privilege))
  if (beyond.length === 0) return
  const message = `This API token does not have ${beyond.join(', ')} itself.`
  throw new ApiError('forbidden', message, { required: { privileges: beyond } })
}

const shapeOf = (row: {
  id: string
  display_name: string
  privileges: string[] | null
  expires_at: Date | null
  created_at: Date
}) => ({
  id: row.id,
  displayName: row.display_name,
  privileges: row.privileges,
  expiresAt: timestampOf(row.expires_at),
  createdAt: timestampOf(row.created_at),
})
