/** The tokens of a sign-in, as its routes answer them. [docs/sign-in#access-tokens] */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { ACCESS_TOKEN_SECONDS } from './access-tokens.ts'
import { setRefreshCookie } from './refresh-cookie.ts'
import type { Rotation } from './refresh-tokens.ts'

export const Tokens = Type.Object(
  {
    accessToken: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds' }),
    refreshToken: Type.Optional(
      Type.String({ description: 'Can be exchanged for new tokens once; absent if it is in the cookie' }),
    ),
  },
  { title: 'Tokens' },
)

export const Cookie = Type.Optional(
  Type.Boolean({
    description:
      'The refresh token comes as the cookie `gangway_refresh`, for pages of this server, instead of in the body.',
  }),
)

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  tenantId: string
  /** Whether the refresh token goes into the cookie. */
  cookie: boolean
}

export async function issueTokens(
  ctx: Context,
  { userId, familyId, refreshToken, refreshExpiresAt }: Rotation,
  { cookie, tenantId, ...exchange }: Exchange,
) {
  if (cookie) setRefreshCookie(exchange, refreshToken, refreshExpiresAt)
  return {
    accessToken: await ctx.accessTokens.issue({ userId, tenantId, familyId }),
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_SECONDS,
    ...(!cookie && { refreshToken }),
  }
}
