/**
 * Tells the console where a tenant's users sign in: authorization code with PKCE at the tenant's issuer.
 * [docs/sign-in#oidc]
 */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { open } from '../../http/access.ts'
import { orNotFound } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'

const SignInAt = Type.Object(
  { issuer: Type.String(), audience: Type.String(), clientId: Type.String() },
  { title: 'OidcSignIn' },
)

export const oidcRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/auth/oidc',
    operationId: 'getOidcIssuer',
    summary: "A tenant's OIDC issuer, for signing in",
    access: open(),
    query: Type.Object({ tenant: Type.String({ maxLength: 128 }) }),
    response: { 200: SignInAt },
    handler: async ({ query }) => {
      const row = orNotFound(
        await ctx.db
          .selectFrom('tenants')
          .select(['oidc_issuer', 'oidc_audience', 'oidc_client_id'])
          .where('id', '=', query.tenant)
          .where('oidc_issuer', 'is not', null)
          .executeTakeFirst(),
        'OIDC issuer for tenant',
        query.tenant,
      )
      return { issuer: row.oidc_issuer, audience: row.oidc_audience, clientId: row.oidc_client_id }
    },
  }),
]
