/**
 * Routes to log in, refresh tokens, log out, read the current user, and fetch the public keys of tokens.
 * [docs/sign-in#access-tokens]
 */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { open, user } from '../../http/access.ts'
import { ApiError, orNotFound, unauthorized } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { FreeObject, Nullable, Uuid } from '../../http/shapes.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import { findUserByEmail, getUser } from '../../users/store.ts'
import { ACCESS_TOKEN_SECONDS } from './access-tokens.ts'
import { authenticateRequest } from '../guards.ts'
import { verifyPassword } from './passwords.ts'
import { findKnownDevice, rememberDevice } from './known-device.ts'
import {
  hasSignedInFrom,
  revokeSignInByToken,
  revokeSignIn,
  rotateRefreshToken,
  type Rotation,
  startSignIn,
} from './refresh-tokens.ts'
import { createPasswordCheck } from './throttle.ts'

const Login = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
})
const RefreshToken = Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 256 }) })
const Tokens = Type.Object(
  {
    accessToken: Type.String(),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds' }),
    refreshToken: Type.String(),
  },
  { title: 'Tokens' },
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
      const found = await findUserByEmail(ctx.db, body.username)
      const network = clientNetwork(request.ip)
      const attempt = {
        email: body.username,
        network,
        knownDevice: found && (await findKnownDevice(ctx, request, found.id)),
        // Also queried for an unknown user, so that the time of the answer reveals nothing.
        isKnownNetwork: await hasSignedInFrom(ctx.db, found?.id ?? NOBODY, network),
      }
      const mayEnter = await checkPassword(
        attempt,
        async () => (await verifyPassword(body.password, found?.password_hash)) && !found?.disabled_at,
      )
      if (!found || !mayEnter) throw unauthorized('The email or the password is wrong.')
      await rememberDevice(ctx, { request, reply }, found.id)
      return issueTokens(ctx, await startSignIn(ctx.db, found.id, network), found.tenant_id)
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/refresh',
    operationId: 'refreshTokens',
    summary: 'Exchange a refresh token for new tokens; the old one becomes invalid',
    access: open(),
    secret: true,
    body: RefreshToken,
    response: { 200: Tokens },
    refuses: [401],
    handler: async ({ body }) => {
      const rotation = await rotateRefreshToken(ctx.db, body.refreshToken)
      if (!rotation) throw unauthorized('The refresh token is not valid any more. Log in again.')
      return issueTokens(ctx, rotation, await getTenantId(ctx, rotation.userId))
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/logout',
    operationId: 'logOut',
    summary: 'End the sign-in of the refresh token, or without one of the access token; all its tokens end',
    access: open(),
    body: Type.Optional(Type.Partial(RefreshToken)),
    response: { 204: null },
    handler: async ({ body, request }) => {
      if (body?.refreshToken) return revokeSignInByToken(ctx.db, body.refreshToken)
      const { signInId } = await authenticateRequest(ctx, request)
      if (!signInId)
        throw new ApiError(
          'conflict',
          'This token does not come from a sign-in here. Revoke an API token by DELETE /v1/api-tokens/{tokenId}; sign out of an OIDC session at its issuer.',
        )
      await revokeSignIn(ctx.db, signInId)
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

async function issueTokens(ctx: Context, { userId, familyId, refreshToken }: Rotation, tenantId: string) {
  const accessToken = await ctx.accessTokens.issue({ userId, tenantId, familyId })
  return { accessToken, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS, refreshToken }
}

/** Finds the tenant of the user whom a refresh token belongs to. @throws not_found */
async function getTenantId(ctx: Context, userId: string): Promise<string> {
  const row = await ctx.db.selectFrom('users').select('tenant_id').where('id', '=', userId).executeTakeFirst()
  return orNotFound(row, 'user', userId).tenant_id
}
