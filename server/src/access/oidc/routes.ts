/**
 * Signs in a tenant's users at its issuer: authorization code with PKCE. The page gets the code, and the server exchanges
 * it, so that the page sends nothing to another origin. [docs/sign-in#oidc]
 */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { open } from '../../http/access.ts'
import { orNotFound, unauthorized } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { Nullable } from '../../http/shapes.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import { Cookie, issueTokens, Tokens } from '../sign-in/issue-tokens.ts'
import { requireSameOrigin } from '../sign-in/refresh-cookie.ts'
import { startSignIn } from '../sign-in/refresh-tokens.ts'

/** A user who was removed at the issuer is signed out here at the latest then. */
const SIGN_IN_MS = 12 * 3_600_000

const SignInAt = Type.Object(
  {
    issuer: Type.String(),
    audience: Type.String(),
    clientId: Type.String(),
    authorizationEndpoint: Nullable(
      Type.String({ description: 'Where the browser goes to sign in; null if the issuer does not answer.' }),
    ),
  },
  { title: 'OidcSignIn' },
)

const Exchange = Type.Object({
  tenant: Type.String({ maxLength: 128 }),
  code: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'From the address that the issuer leads to',
  }),
  codeVerifier: Type.String({ minLength: 43, maxLength: 128, description: 'Secret of the page (PKCE)' }),
  redirectUri: Type.String({ maxLength: 2048, description: 'The same as in the authorization request' }),
  cookie: Cookie,
})

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
      const { issuer, audience, clientId } = await getIssuer(ctx, query.tenant)
      const authorizationEndpoint = (await ctx.oidcTokens.findAuthorizationEndpoint(issuer)) ?? null
      return { issuer, audience, clientId, authorizationEndpoint }
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/oidc',
    operationId: 'logInAtIssuer',
    summary: "Log in with the code of the tenant's OIDC issuer; the sign-in ends after 12 hours",
    access: open(),
    secret: true,
    body: Exchange,
    response: { 200: Tokens },
    refuses: [401, 403, 502],
    handler: async ({ body, request, reply }) => {
      const { cookie = false, tenant, ...grant } = body
      if (cookie) requireSameOrigin(ctx, request)
      const userId = await ctx.oidcTokens.exchangeCode(await getIssuer(ctx, tenant), grant, request.id)
      const principal = await ctx.principals.findBySession({ userId })
      if (!principal || principal.disabled) throw unauthorized('This user is disabled.')
      const signIn = await startSignIn(ctx.db, {
        userId,
        network: clientNetwork(request.ip),
        expiresAt: new Date(Date.now() + SIGN_IN_MS),
      })
      return issueTokens(ctx, signIn, { request, reply, cookie, tenantId: principal.tenantId })
    },
  }),
]

/** @throws not_found */
async function getIssuer({ db }: Context, tenantId: string) {
  const row = await db
    .selectFrom('tenants')
    .select(['id', 'oidc_issuer', 'oidc_audience', 'oidc_client_id'])
    .where('id', '=', tenantId)
    .where('oidc_issuer', 'is not', null)
    .executeTakeFirst()
  const found = orNotFound(row, 'OIDC issuer for tenant', tenantId)
  return {
    id: found.id,
    issuer: found.oidc_issuer!,
    audience: found.oidc_audience!,
    clientId: found.oidc_client_id!,
  }
}
