/** Implements the accesses of `http/access.ts` for users and API tokens. */
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { type Caller, type Guards, isReadOnly } from '../http/access.ts'
import { ApiError, unauthorized } from '../http/errors.ts'
import type { Route } from '../http/route.ts'
import { findApiTokenPrincipal } from './api-tokens/verify.ts'
import type { Privilege } from './privileges.ts'
import {
  beyondDashboard,
  requirePermission,
  requirePrivilege,
  requirePrivilegeInRoot,
  requireWithinToken,
} from './require.ts'
import type { ResourceType } from './schema.ts'

type UserGuards = Omit<Guards, 'bootstrapKey' | 'deviceEnrollment' | 'webhookSignature'>

export function createUserGuards(ctx: Context): UserGuards {
  const signedIn = async (request: FastifyRequest) => {
    const caller = await authenticateRequest(ctx, request)
    // Set before further checks, so that a request which they refuse still counts as this caller's.
    request.caller = caller
    const { gangway } = request.routeOptions.config
    if (gangway) requireOpenTo(caller, gangway.route)
    return caller
  }
  return {
    open: async () => undefined,
    user: (_access, request) => signedIn(request),
    visible: async ({ type }, request) => {
      const caller = await signedIn(request)
      await requireWithinToken(caller, type as ResourceType)
      return caller
    },
    privilege: async ({ privilege, inRoot }, request) => {
      const caller = await signedIn(request)
      const requireIt = inRoot ? requirePrivilegeInRoot : requirePrivilege
      await requireIt(ctx, caller, privilege as Privilege)
      return caller
    },
    permission: async ({ permission, type, readId }, request) => {
      const caller = await signedIn(request)
      const id = readId(request.params as Record<string, string>)
      await requirePermission(ctx, caller, permission, { type: type as ResourceType, id })
      return caller
    },
  }
}

/** @throws forbidden if the caller's token is limited to other routes */
function requireOpenTo(caller: Caller, route: Route): void {
  if (caller.shown && !route.forDashboards) throw beyondDashboard(caller.shown)
  if (isReadOnly(caller)) refuseChange(route)
}

/** @throws forbidden */
function refuseChange({ method, url, readsOnly }: Route): void {
  if (method === 'GET' || readsOnly) return
  const message = `This API token is limited to data_view, which changes nothing: ${method} ${url} needs another token.`
  throw new ApiError('forbidden', message, { required: { privileges: null } })
}

/**
 * Returns the caller whose token is in the request's header.
 * @throws unauthorized
 */
export const authenticateRequest = (ctx: Context, request: FastifyRequest): Promise<Caller> =>
  signIn(ctx, readToken(request), request.id)

/**
 * Returns the caller of a token that did not come in the header of an API request.
 * @throws unauthorized; forbidden for a token that is limited to a dashboard, which only routes can be open to
 */
export async function authenticateToken(ctx: Context, token: string, requestId: string): Promise<Caller> {
  const caller = await signIn(ctx, token, requestId)
  if (caller.shown) throw beyondDashboard(caller.shown)
  return caller
}

/**
 * Checks a token like a route with `privilege(name)`.
 * @throws unauthorized, forbidden
 */
export async function authenticateWithPrivilege(
  ctx: Context,
  token: string,
  privilege: Privilege,
  requestId: string,
): Promise<Caller> {
  const caller = await authenticateToken(ctx, token, requestId)
  await requirePrivilege(ctx, caller, privilege)
  return caller
}

/** @throws unauthorized with a message that describes the defect of the header without showing the token */
function readToken({ headers }: FastifyRequest): string {
  const { authorization = '' } = headers
  const token = /^Bearer +([^\s"'<>]+)$/i.exec(authorization)?.[1]
  if (token) return token
  const howTo = 'Send an access token or API token as `Authorization: Bearer …`'
  if (authorization === '') throw unauthorized(`${howTo}.`)
  const [scheme = '', ...rest] = authorization.split(' ')
  if (/^Bearer$/i.test(scheme))
    throw unauthorized(`${howTo}: after \`Bearer\` and a space the token alone, without quotes.`)
  if (/^Basic$/i.test(scheme))
    throw unauthorized(`${howTo}. \`Basic\` is how a device signs in, at /get_settings alone.`)
  throw unauthorized(
    rest.length === 0 ? `${howTo}: the word \`Bearer\` is missing.` : `${howTo}, not by another scheme.`,
  )
}

async function signIn(ctx: Context, token: string, requestId: string): Promise<Caller> {
  const signed =
    (await findApiTokenPrincipal(ctx.principals, token)) ??
    (await findSessionPrincipal(ctx, token, requestId))
  if (!signed || signed.principal.disabled)
    throw unauthorized('The token is expired, revoked or wrong. Log in again, or make a new API token.')
  const { principal, tokenId, signInId, privileges, shown, expiresAt } = signed
  return {
    kind: tokenId ? 'api_token' : 'user',
    tenantId: principal.tenantId,
    tenantNumber: principal.tenantNumber,
    userId: principal.userId,
    plan: principal.plan,
    tokenId,
    signInId,
    privileges,
    shown,
    expiresAt,
    requestId,
  }
}

async function findSessionPrincipal(ctx: Context, token: string, requestId: string) {
  const claims = await ctx.accessTokens.verify(token)
  const ofIssuer = claims ? undefined : await ctx.oidcTokens.verify(token, requestId)
  const session = claims ?? (ofIssuer && { userId: ofIssuer.userId })
  const principal = session && (await ctx.principals.findBySession(session))
  const { familyId: signInId } = claims ?? {}
  const limits = { tokenId: undefined, privileges: null, shown: undefined }
  return principal && { principal, signInId, ...limits, expiresAt: ofIssuer?.expiresAt }
}
