/** The user of a connection, and the sign-in or API token behind it. The connection ends when that does. */
import type { AccessTokens } from '../../access/sign-in/access-tokens.ts'
import type { Principals } from '../../access/sign-in/principals.ts'
import type { Caller } from '../../http/access.ts'
import type { Limits } from '../limits.ts'

export interface Credentials {
  tenantId: string
  userId: string
  signInId: string | undefined
  tokenId: string | undefined
  /** The expiry of the API token or OIDC token with which the connection was negotiated. */
  expiresAt: Date | undefined
}

export interface Negotiated extends Credentials {
  negotiatedId: string
}

const PURPOSE = 'realtime'

/** @returns a token that opens a connection and nothing else */
export const issueNegotiated = (
  ctx: { accessTokens: AccessTokens; push: { limits: Limits } },
  caller: Caller,
): Promise<string> =>
  ctx.accessTokens.issueFor(
    PURPOSE,
    {
      sub: caller.userId,
      tid: caller.tenantId,
      sid: caller.signInId,
      api: caller.tokenId,
      until: caller.expiresAt?.getTime(),
    },
    ctx.push.limits.tokenSeconds,
  )

/** @returns undefined for a token that is not ours, has expired or has another purpose */
export async function verifyNegotiated(
  { accessTokens }: { accessTokens: AccessTokens },
  token: string,
): Promise<Negotiated | undefined> {
  const claims = await accessTokens.verifyFor(PURPOSE, token)
  if (!claims) return undefined
  return {
    negotiatedId: claims.jti!,
    userId: claims.sub!,
    tenantId: claims.tid as string,
    signInId: claims.sid as string | undefined,
    tokenId: claims.api as string | undefined,
    expiresAt: claims.until === undefined ? undefined : new Date(claims.until as number),
  }
}

/** @returns undefined once the user is disabled, deleted or logged out, or the token has expired or was revoked */
export async function findCaller(
  { principals }: { principals: Principals },
  credentials: Credentials,
): Promise<Caller | undefined> {
  const { userId, signInId, tokenId, expiresAt } = credentials
  if (hasExpired(credentials)) return undefined
  const ofToken = tokenId ? await principals.findByApiToken(tokenId) : undefined
  const principal = tokenId ? ofToken : await principals.findBySession({ userId, familyId: signInId })
  if (!principal || principal.disabled) return undefined
  const limits = ofToken && (await principals.findLimits(ofToken))
  if (ofToken && !limits) return undefined
  const { tenantId, tenantNumber, plan } = principal
  const privileges = ofToken?.privileges ?? null
  const kind = tokenId ? 'api_token' : 'user'
  return {
    kind,
    tenantId,
    tenantNumber,
    userId,
    plan,
    tokenId,
    signInId,
    privileges,
    shown: limits?.shown,
    expiresAt,
    requestId: 'realtime',
  }
}

export const hasExpired = ({ expiresAt }: Credentials): boolean =>
  expiresAt !== undefined && expiresAt.getTime() <= Date.now()

/** A limited API token must not reach the connections and subscriptions of another token of its user. */
export const isSameCredentials = (one: Credentials, other: Pick<Caller, 'userId' | 'tokenId'>): boolean =>
  one.userId === other.userId && one.tokenId === other.tokenId
