/** Exchanges the code that a browser brings back from the issuer for tokens (OAuth 2.0 with PKCE, RFC 7636). */
import { ApiError, unauthorized } from '../../http/errors.ts'
import type { Outbound, OutboundAnswer } from '../../lib/outbound.ts'
import type { Issuer } from './issuer-keys.ts'

export interface OidcTenant {
  id: string
  issuer: string
  clientId: string
}

export interface CodeGrant {
  code: string
  codeVerifier: string
  /** The same as in the authorization request. */
  redirectUri: string
}

interface IssuerTokens {
  idToken: string
  accessToken: string
}

export const unavailable = ({ message }: Error) =>
  new ApiError('provider_unavailable', `The OIDC issuer does not answer: ${message}`)

/** @throws unauthorized if the issuer refuses the code; provider_unavailable if it does not answer */
export async function fetchTokens(
  outbound: Outbound,
  { tokenEndpoint }: Issuer,
  { clientId }: OidcTenant,
  { code, codeVerifier, redirectUri }: CodeGrant,
): Promise<IssuerTokens> {
  if (!tokenEndpoint) throw unavailable(new Error('it names no token endpoint'))
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUri,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const answer = await outbound
    .send({ method: 'POST', url: tokenEndpoint, headers, body: form.toString() })
    .catch((error: Error) => {
      throw unavailable(error)
    })
  const { id_token: idToken, access_token: accessToken, error } = readJson(answer)
  if (answer.status >= 500) throw unavailable(new Error(`it answered ${answer.status}`))
  if (typeof idToken !== 'string' || typeof accessToken !== 'string')
    throw unauthorized(
      `The OIDC issuer did not accept the sign-in (${describeError(error, answer)}). Start again.`,
    )
  return { idToken, accessToken }
}

function readJson({ text }: OutboundAnswer): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

const describeError = (error: unknown, { status }: OutboundAnswer) =>
  typeof error === 'string' && /^[\w ]{1,64}$/.test(error) ? error : `status ${status}`
