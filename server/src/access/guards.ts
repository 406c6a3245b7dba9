/** What each access of `http/access.ts` means for people and automations. */
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Access, Caller, Guards } from '../http/access.ts'
import { ApiError, notFound, unauthorized } from '../http/errors.ts'
import { apiTokenPrincipal } from './api-tokens/verify.ts'
import type { Principal } from './principals.ts'

type UserGuards = Omit<Guards, 'bootstrapKey' | 'webhookSignature'>

interface SignedIn {
  caller: Caller
  principal: Principal
}

export function createUserGuards(ctx: Context): UserGuards {
  const signedIn = async (request: FastifyRequest) => {
    const found = await signIn(ctx, tokenOf(request), request.id)
    // Known from here on, so that a request that is refused further down counts as this caller's.
    request.caller = found.caller
    return found
  }
  return {
    open: async () => undefined,
    user: async (_access, request) => (await signedIn(request)).caller,
    visible: async (_access, request) => (await signedIn(request)).caller,
    privilege: async (access, request) => requirePrivilege(await signedIn(request), access.privilege),
    permission: async (access, request) => requirePermission(await signedIn(request), access, request),
  }
}

/**
 * The decision of a route with `privilege(name)`, for a token that is not in the header of a request of ours.
 * @throws unauthorized, forbidden
 */
export const callerWithPrivilege = async (
  ctx: Context,
  token: string,
  privilege: string,
  requestId: string,
) => requirePrivilege(await signIn(ctx, token, requestId), privilege)

function tokenOf(request: FastifyRequest): string {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (!token) throw unauthorized('Send an access token or API token as `Authorization: Bearer …`.')
  return token
}

async function signIn(ctx: Context, token: string, requestId: string): Promise<SignedIn> {
  const signed = (await apiTokenPrincipal(ctx.principals, token)) ?? (await sessionPrincipal(ctx, token))
  if (!signed || signed.principal.disabled) throw unauthorized()
  const { principal, tokenId, privileges } = signed
  const caller: Caller = {
    kind: tokenId ? 'api_token' : 'user',
    tenantId: principal.tenantId,
    userId: principal.userId,
    plan: principal.plan,
    tokenId,
    privileges,
    requestId,
  }
  return { caller, principal }
}

async function sessionPrincipal(ctx: Context, token: string) {
  const claims = await ctx.accessTokens.verify(token)
  const userId = claims ? undefined : await ctx.oidcTokens.verify(token)
  const session = claims ?? (userId && { userId })
  const principal = session && (await ctx.principals.ofSession(session))
  return principal && { principal, tokenId: undefined, privileges: null }
}

function requirePrivilege({ caller, principal }: SignedIn, privilege: string): Caller {
  const withinToken = caller.privileges === null || caller.privileges.includes(privilege)
  if (principal.ownsTenant && withinToken) return caller
  const because = withinToken ? 'You do not hold it.' : 'This API token is limited to other privileges.'
  throw new ApiError('forbidden', `This needs the privilege ${privilege}. ${because}`, {
    required: { privilege },
  })
}

/** The environment is its owners'; everything else belongs to a tenant and is, so far, its owner's. */
function requirePermission(
  { caller, principal }: SignedIn,
  access: Extract<Access, { kind: 'permission' }>,
  request: FastifyRequest,
) {
  const { permission, type } = access
  const allowed = type === 'environment' ? principal.ownsEnvironment : principal.ownsTenant
  if (allowed && caller.privileges === null) return caller
  const id = access.idOf(request.params as Record<string, string>)
  if (type === 'tenant' && id !== principal.tenantId) throw notFound('tenant', id)
  throw new ApiError('forbidden', `This needs the permission ${permission} on ${type} ${id}.`, {
    required: { permission, resourceType: type, resourceId: id },
  })
}
