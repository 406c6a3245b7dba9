/**
 * Routes to log in, refresh tokens, log out, read the current user, and fetch the public keys of tokens.
 * [docs/sign-in#access-tokens]
 */
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { open, user } from '../../http/access.ts'
import { ApiError, orNotFound, unauthorized } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { FreeObject, Nullable, Uuid } from '../../http/shapes.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import { findUserByEmail, getUser } from '../../users/store.ts'
import { authenticateRequest } from '../guards.ts'
import { verifyPassword } from './passwords.ts'
import { Cookie, issueTokens, Tokens } from './issue-tokens.ts'
import { findKnownDevice, rememberDevice } from './known-device.ts'
import { clearRefreshCookie, findRefreshCookie, requireSameOrigin } from './refresh-cookie.ts'
import {
  findSignIn,
  hasSignedInFrom,
  revokeSignIn,
  revokeSignIns,
  rotateRefreshToken,
  startSignIn,
} from './refresh-tokens.ts'
import { createPasswordCheck } from './throttle.ts'

const Login = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
  cookie: Cookie,
})
const refreshToken = Type.Optional(
  Type.String({ minLength: 1, maxLength: 256, description: 'If absent, the cookie has it.' }),
)
const everywhere = Type.Optional(
  Type.Boolean({ description: 'Ends all sign-ins of the user; API tokens stay.' }),
)
const Me = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    email: Nullable(Type.String()),
    phoneNumber: Nullable(Type.String()),
    tenantId: Type.String(),
  },
  { title: 'Me' },
)

const NOBODY = '00000000-0000-0000-0000-000000000000'

export const signInRoutes = (ctx: Context, checkPassword = createPasswordCheck(ctx.db)): Route[] => [
  route({
    method: 'POST',
    url: '/v1/auth/login',
    operationId: 'logIn',
    summary: 'Log in with email and password',
    access: open(),
    secret: true,
    body: Login,
    // Clients of other platforms send additional fields.
    unknownFields: 'ignore',
    response: { 200: Tokens },
    refuses: [401],
    handler: async ({ body, request, reply }) => {
      const { cookie = false } = body
      if (cookie) requireSameOrigin(ctx, request)
      const network = clientNetwork(request.ip)
      let found: Awaited<ReturnType<typeof findUserByEmail>>
      const mayEnter = await checkPassword(network, async () => {
        found = await findUserByEmail(ctx.db, body.username)
        const attempt = {
          email: body.username,
          network,
          knownDevice: found && (await findKnownDevice(ctx, request, found.id)),
          // Also queried for an unknown user, so that the time of the answer reveals nothing.
          isKnownNetwork: await hasSignedInFrom(ctx.db, found?.id ?? NOBODY, network),
        }
        const isRight = async () =>
          (await verifyPassword(body.password, found?.password_hash)) && !found?.disabled_at
        return { attempt, isRight }
      })
      if (!found || !mayEnter) throw unauthorized('The email or the password is wrong.')
      await rememberDevice(ctx, { request, reply }, found.id)
      const signIn = await startSignIn(ctx.db, { userId: found.id, network })
      return issueTokens(ctx, signIn, { request, reply, cookie, tenantId: found.tenant_id })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/refresh',
    operationId: 'refreshTokens',
    summary: 'Exchange a refresh token for new tokens; the old one becomes invalid',
    access: open(),
    secret: true,
    body: Type.Optional(Type.Object({ refreshToken })),
    response: { 200: Tokens },
    refuses: [401, 403],
    handler: async ({ body, request, reply }) => {
      const { token, cookie } = readRefreshToken(ctx, request, body?.refreshToken)
      if (token === undefined) throw unauthorized('Send `refreshToken`, or log in with `cookie`.')
      const rotation = await rotateRefreshToken(ctx.db, token, { mayRepeat: cookie })
      if (!rotation) {
        if (cookie) clearRefreshCookie({ request, reply })
        throw unauthorized('The refresh token is not valid any more. Log in again.')
      }
      const tenantId = await getTenantId(ctx, rotation.userId)
      return issueTokens(ctx, rotation, { request, reply, cookie, tenantId })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/logout',
    operationId: 'logOut',
    summary: 'End the sign-in of the refresh token, or without one of the access token; all its tokens end',
    access: open(),
    body: Type.Optional(Type.Object({ refreshToken, everywhere })),
    response: { 204: null },
    refuses: [401, 403],
    handler: async ({ body, request, reply }) => {
      const { token, cookie } = readRefreshToken(ctx, request, body?.refreshToken)
      if (cookie) clearRefreshCookie({ request, reply })
      const signIn =
        token === undefined ? await authenticateSignIn(ctx, request) : await findSignIn(ctx.db, token)
      if (body?.everywhere && !signIn)
        throw unauthorized('This sign-in has ended. Log in again to end the others.')
      if (body?.everywhere) await revokeSignIns(ctx.db, signIn!.userId)
      else if (signIn) await revokeSignIn(ctx.db, signIn.signInId)
    },
  }),
  route({
    method: 'GET',
    url: '/v1/auth/me',
    operationId: 'getCurrentUser',
    summary: 'The signed-in user',
    access: user(),
    response: { 200: Me },
    handler: async ({ caller }) => {
      const row = await getUser(ctx.db, caller.tenantId, caller.userId)
      const { id, display_name: displayName, email, phone_number: phoneNumber, tenant_id: tenantId } = row
      return { id, displayName, email, phoneNumber, tenantId }
    },
  }),
  route({
    method: 'GET',
    url: '/.well-known/jwks.json',
    operationId: 'getSigningKeys',
    summary: 'Public keys that verify the access tokens of Gangway',
    access: open(),
    response: { 200: Type.Object({ keys: Type.Array(FreeObject) }) },
    handler: async () => ctx.accessTokens.publicKeys(),
  }),
]

/**
 * A token in the body comes before the cookie.
 * @throws forbidden if the cookie comes from a page of another origin
 */
function readRefreshToken(ctx: Context, request: FastifyRequest, given: string | undefined) {
  if (given !== undefined) return { token: given, cookie: false }
  const token = findRefreshCookie(request)
  if (token !== undefined) requireSameOrigin(ctx, request)
  return { token, cookie: token !== undefined }
}

/** @throws unauthorized; conflict for a token that comes from no sign-in here */
async function authenticateSignIn(ctx: Context, request: FastifyRequest) {
  const { signInId, userId } = await authenticateRequest(ctx, request)
  if (signInId) return { signInId, userId }
  throw new ApiError(
    'conflict',
    'This token does not come from a sign-in here. Revoke an API token by DELETE /v1/api-tokens/{tokenId}; sign out of an OIDC session at its issuer.',
  )
}

/** Finds the tenant of the user whom a refresh token belongs to. @throws not_found */
async function getTenantId(ctx: Context, userId: string): Promise<string> {
  const row = await ctx.db.selectFrom('users').select('tenant_id').where('id', '=', userId).executeTakeFirst()
  return orNotFound(row, 'user', userId).tenant_id
}
