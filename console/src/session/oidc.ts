/** Authorization code with PKCE. The verifier waits in the tab's storage while the issuer has the browser. */
import type { Send } from './session.ts'

const KEY = 'gangway.oidc'
/** Storage key of the tenant of the last sign-in at an issuer. The tenant is not secret. */
const TENANT = 'gangway.issuer'

interface Waiting {
  state: string
  codeVerifier: string
  tenant: string
  /** The page from which the sign-in was started; null for a sign-in window. */
  returnTo: string | null
}

interface Issuer {
  issuer: string
  clientId: string
  authorizationEndpoint: string | null
}

export const redirectUri = () => `${location.origin}/console/signed-in`

/** The address of a sign-in window. The page that opens it keeps its state. */
export const signInWindow = (tenant: string) => `/console/signed-in?${new URLSearchParams({ tenant })}`

export const readIssuerTenant = () => localStorage.getItem(TENANT)

/** @param tenant null after a sign-in with a password */
export function rememberIssuerTenant(tenant: string | null): void {
  if (tenant === null) localStorage.removeItem(TENANT)
  else localStorage.setItem(TENANT, tenant)
}

/**
 * Redirects the browser to the issuer of a tenant. @throws the server's error, or an error if the issuer does not
 * respond
 */
export async function goToIssuer(
  send: Send,
  {
    tenant,
    returnTo,
    explainSilence,
  }: Pick<Waiting, 'tenant' | 'returnTo'> & { explainSilence: (issuer: string) => string },
): Promise<void> {
  const query = new URLSearchParams({ tenant })
  const found = (await send(`/v1/auth/oidc?${query}`, undefined, { method: 'GET' })) as Issuer
  if (found.authorizationEndpoint === null) throw new Error(explainSilence(found.issuer))
  const waiting = { state: randomText(), codeVerifier: randomText(), tenant, returnTo }
  sessionStorage.setItem(KEY, JSON.stringify(waiting))
  location.assign(await writeAddress(found.authorizationEndpoint, found.clientId, waiting))
}

async function writeAddress(endpoint: string, clientId: string, { state, codeVerifier }: Waiting) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const address = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope: 'openid email profile',
    state,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** @returns what was put aside, once; null if the answer belongs to no sign-in of this tab */
export function takeWaiting(state: string | null): Waiting | null {
  const stored = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  if (stored === null) return null
  const waiting = JSON.parse(stored) as Waiting
  return waiting.state === state ? waiting : null
}

const randomText = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
