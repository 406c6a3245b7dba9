/** A real OIDC issuer on loopback: signs users in without interaction and can rotate its keys. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import * as client from 'openid-client'

export const audience = 'https://api.example/gangway'
export const clientId = 'console'
const redirectUri = 'https://console.example/callback'

export interface OidcIssuer extends AsyncDisposable {
  issuer: string
  /** Signs in by authorization code with PKCE, as the console does; answers the access token. */
  signIn(user: string, scope?: string): Promise<string>
  /** The first half of that: the code, and what a server needs to exchange it. */
  authorize(user: string): Promise<{ code: string; codeVerifier: string; redirectUri: string }>
  /** Signs an access token with the published key, as the issuer would. Claims given here replace the usual ones. */
  sign(claims: JWTPayload): Promise<string>
  /** Replaces the signing key, and publishes only the new one. */
  rotateKeys(): Promise<void>
  /** Answers of the userinfo endpoint by access token; other tokens are refused. */
  profiles: Map<string, object>
}

/** By user name. A user without an entry has no email; without `verified` the issuer does not say `email_verified`. */
type Emails = Record<string, { email: string; verified?: boolean }>

interface IssuerOptions {
  /** Additional addresses to which the issuer redirects browsers. */
  redirectUris?: string[]
  /** The user who signs in if the request names none, as the request of a browser does. */
  user?: string
}

export async function startOidcIssuer(emails: Emails, options: IssuerOptions = {}): Promise<OidcIssuer> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const profiles = new Map<string, object>()
  let key: SigningKey
  const rotateKeys = async () => {
    key = { id: crypto.randomUUID(), ...(await generateKeyPair('ES256', { extractable: true })) }
    const provider = await createProvider(issuer, emails, { key, redirectUris: options.redirectUris ?? [] })
    const handle = provider.callback()
    server.removeAllListeners('request').on('request', (request, response) => {
      const profile = request.url === '/me' && profiles.get(readBearer(request))
      if (request.url!.startsWith('/interaction/'))
        void interact(provider, options.user, { request, response })
      else if (profile) response.end(JSON.stringify(profile))
      else void handle(request, response)
    })
  }
  await rotateKeys()
  return {
    issuer,
    rotateKeys,
    profiles,
    sign: (claims) =>
      new SignJWT({ iss: issuer, aud: audience, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: key.id })
        .setExpirationTime(claims.exp ?? '5m')
        .sign(key.privateKey),
    signIn: (user, scope = 'openid') => signIn(issuer, user, scope),
    authorize: async (user) => {
      const { callback, verifier } = await authorize(await discover(issuer), user, 'openid')
      return { code: callback.searchParams.get('code')!, codeVerifier: verifier, redirectUri }
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

const readBearer = ({ headers }: IncomingMessage) => headers.authorization?.replace(/^Bearer /, '') ?? ''

type SigningKey = { id: string } & GenerateKeyPairResult

async function createProvider(
  issuer: string,
  emails: Emails,
  { key: { id: kid, privateKey }, redirectUris }: { key: SigningKey; redirectUris: string[] },
) {
  return new Provider(issuer, {
    jwks: {
      keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid }],
    },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri, ...redirectUris],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    // The userinfo endpoint refuses a token for a resource, so the token contains the claims of its user.
    extraTokenClaims: (_ctx, token) => {
      const known = 'accountId' in token ? emails[token.accountId!] : undefined
      return (
        known && {
          email: known.email,
          ...(known.verified !== undefined && { email_verified: known.verified }),
        }
      )
    },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id }),
    }),
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['test'] },
  })
}

/** Replaces the login and consent pages: accepts the login hint and grants everything. */
async function interact(
  provider: Provider,
  user: string | undefined,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
) {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, {
      login: { accountId: String(params.login_hint ?? user) },
    })
  const grant = new provider.Grant({ accountId: session!.accountId, clientId })
  grant.addOIDCScope(String(params.scope))
  grant.addResourceScope(audience, String(params.scope))
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

const discover = (issuer: string) =>
  client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  })

async function authorize(config: client.Configuration, user: string, scope: string) {
  const verifier = client.randomPKCECodeVerifier()
  const start = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    login_hint: user,
    resource: audience,
  })
  return { callback: await browse(start), verifier }
}

async function signIn(issuer: string, user: string, scope: string): Promise<string> {
  const config = await discover(issuer)
  const { callback, verifier } = await authorize(config, user, scope)
  const tokens = await client.authorizationCodeGrant(
    config,
    callback,
    { pkceCodeVerifier: verifier },
    { resource: audience },
  )
  return tokens.access_token
}

/** Acts as the browser: follows redirects and keeps cookies. */
async function browse(start: URL): Promise<URL> {
  const cookies = new Map<string, string>()
  for (let url = start, hops = 0; hops < 10; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split('=')
      cookies.set(name!, value!)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`the issuer answered ${response.status}: ${await response.text()}`)
    url = new URL(location, url)
    if (url.href.startsWith(redirectUri)) return url
  }
  throw new Error('too many redirects')
}

async function close(server: Server) {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
