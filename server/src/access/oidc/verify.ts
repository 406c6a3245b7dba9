/**
 * Verifies tokens of a tenant's own OIDC issuer. The user is created with the first token. [docs/sign-in#oidc]
 */
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Tables } from '../../database/tables.ts'
import { holdsUnstorableText } from '../../lib/json-limits.ts'
import type { Outbound } from '../../lib/outbound.ts'
import { unauthorized } from '../../http/errors.ts'
import { type CodeGrant, fetchTokens, type OidcTenant, unavailable } from './exchange-code.ts'
import { createIssuerKeys, type Issuer } from './issuer-keys.ts'
import { findOidcUser, insertOidcUser, type Profile } from './users.ts'

/** Only asymmetric algorithms, so that published keys cannot sign. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']
const CLOCK_SKEW_SECONDS = 60

interface OidcUser {
  userId: string
  /** The time from which the token is refused. */
  expiresAt: Date
}

export interface OidcTokens {
  /** @returns undefined if no tenant trusts the issuer for the audience of the token, or the token is not valid */
  verify(token: string, requestId: string): Promise<OidcUser | undefined>
  /** Where users sign in; undefined if the issuer does not answer. */
  findAuthorizationEndpoint(issuer: string): Promise<string | undefined>
  /**
   * @returns the id of the user whom the issuer signed in
   * @throws unauthorized, provider_unavailable
   */
  exchangeCode(tenant: OidcTenant, grant: CodeGrant, requestId: string): Promise<string>
}

interface OidcContext {
  db: Kysely<Tables>
  log: Logger
  outbound: Outbound
}

export function createOidcTokens(ctx: OidcContext): OidcTokens {
  const issuerKeys = createIssuerKeys(ctx.outbound)
  const logRefusal = (reqId: string, tenant: string, error: unknown) =>
    ctx.log.info({ reqId, tenant, reason: (error as Error).message }, 'an OIDC token was refused')
  return {
    async verify(token, requestId) {
      const claimed = readClaims(token)
      const tenant = claimed?.iss && (await findTenant(ctx.db, claimed.iss, readAudiences(claimed)))
      if (!tenant) return undefined
      try {
        const issuer = await issuerKeys.get(claimed.iss!)
        // The tenant was found by unverified claims; the signature proves them.
        const { payload } = await jwtVerify(token, issuer.findKey, checks)
        const userId = await findOrCreateUser(ctx, { tenantId: tenant.id, issuer, claims: payload, token })
        return { userId, expiresAt: new Date((payload.exp! + CLOCK_SKEW_SECONDS) * 1000) }
      } catch (error) {
        logRefusal(requestId, tenant.id, error)
        return undefined
      }
    },

    findAuthorizationEndpoint: (issuer) =>
      issuerKeys.get(issuer).then(
        ({ authorizationEndpoint }) => authorizationEndpoint,
        () => undefined,
      ),

    async exchangeCode(tenant, grant, requestId) {
      const issuer = await issuerKeys.get(tenant.issuer).catch((error: Error) => {
        throw unavailable(error)
      })
      const { idToken, accessToken } = await fetchTokens(ctx.outbound, issuer, tenant, grant)
      const options = { ...checks, issuer: tenant.issuer, audience: tenant.clientId }
      const { payload } = await jwtVerify(idToken, issuer.findKey, options).catch((error) => {
        logRefusal(requestId, tenant.id, error)
        throw unauthorized('The ID token of the issuer is not valid. The log has the reason.')
      })
      return findOrCreateUser(ctx, { tenantId: tenant.id, issuer, claims: payload, token: accessToken })
    },
  }
}

const checks = {
  algorithms: ALGORITHMS,
  clockTolerance: CLOCK_SKEW_SECONDS,
  requiredClaims: ['sub', 'exp'],
}

function readClaims(token: string): JWTPayload | undefined {
  try {
    const claims = decodeJwt(token)
    // The claims are not verified yet and are used in a database query.
    return holdsUnstorableText([claims.iss, claims.aud]) ? undefined : claims
  } catch {
    return undefined
  }
}

const readAudiences = ({ aud }: JWTPayload): string[] => (aud === undefined ? [] : [aud].flat())

const findTenant = (db: Kysely<Tables>, issuer: string, audiences: string[]) =>
  audiences.length === 0
    ? undefined
    : db
        .selectFrom('tenants')
        .select('id')
        .where('oidc_issuer', '=', issuer)
        .where('oidc_audience', 'in', audiences)
        .executeTakeFirst()

async function findOrCreateUser(
  ctx: OidcContext,
  {
    tenantId,
    issuer,
    claims,
    token,
  }: { tenantId: string; issuer: Issuer; claims: JWTPayload; token: string },
) {
  const identity = { tenantId, issuer: claims.iss!, subject: claims.sub! }
  const known = await findOidcUser(ctx.db, identity)
  if (known) return known
  // An access token need not describe its user; userinfo does.
  const userinfo = await fetchUserinfo(ctx.outbound, issuer, token)
  // OpenID Connect Core, 5.3.2: userinfo of another subject must not be used.
  const profile: Profile = { ...claims, ...(userinfo.sub === claims.sub && userinfo) }
  return insertOidcUser(ctx.db, identity, profile)
}

type Userinfo = Profile & { sub?: unknown }

async function fetchUserinfo(
  outbound: Outbound,
  { userinfoEndpoint }: Issuer,
  token: string,
): Promise<Userinfo> {
  if (!userinfoEndpoint) return {}
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
  const { status, text } = await outbound.send({ method: 'GET', url: userinfoEndpoint, headers })
  return status === 200 ? (JSON.parse(text) as Userinfo) : {}
}
