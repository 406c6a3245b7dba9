/**
 * The keys of OIDC issuers, found by discovery: fetched when first needed, and again when a token names an unknown key.
 */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import type { Outbound } from '../../lib/outbound.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'

const REMEMBERED_ISSUERS = 1000
/** The shortest time between two fetches of an issuer's keys that tokens with unknown keys cause. */
const ASK_AGAIN_MS = 5_000

export interface IssuerKeys {
  /** @throws if the issuer does not answer or names another issuer */
  get(issuer: string): Promise<Issuer>
}

export interface Issuer {
  findKey: JWTVerifyGetKey
  authorizationEndpoint: string | undefined
  tokenEndpoint: string | undefined
  userinfoEndpoint: string | undefined
}

export function createIssuerKeys(outbound: Outbound): IssuerKeys {
  const known = createBoundedCache<string, Promise<Issuer>>(REMEMBERED_ISSUERS)
  return {
    get(issuer) {
      const found = known.get(issuer)
      if (found) return found
      const discovered = discover(outbound, issuer)
      known.set(issuer, discovered)
      // A failure is not cached, since the issuer may be available again at the next request.
      discovered.catch(() => known.delete(issuer))
      return discovered
    },
  }
}

interface Discovery {
  issuer: string
  jwks_uri: string
  authorization_endpoint?: string
  token_endpoint?: string
  userinfo_endpoint?: string
}

async function discover(outbound: Outbound, issuer: string): Promise<Issuer> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, text } = await outbound.send({ method: 'GET', url })
  if (status !== 200) throw new Error(`discovery at ${issuer} answered ${status}`)
  const document = JSON.parse(text) as Discovery
  if (document.issuer !== issuer) throw new Error(`discovery at ${issuer} names another issuer`)
  const findKey = createRemoteJWKSet(new URL(document.jwks_uri), {
    cooldownDuration: ASK_AGAIN_MS,
    [customFetch]: async (target) => {
      const answer = await outbound.send({ method: 'GET', url: target })
      return new Response(answer.text, { status: answer.status })
    },
  })
  return {
    findKey,
    authorizationEndpoint: document.authorization_endpoint,
    tokenEndpoint: document.token_endpoint,
    userinfoEndpoint: document.userinfo_endpoint,
  }
}
