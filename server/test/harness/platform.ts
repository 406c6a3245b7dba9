/**
 * A platform with its own database over real HTTP, with a token of the administrator:
 *
 *     const platform = await startPlatform()
 *     afterAll(() => platform[Symbol.asyncDispose]())
 *     const { status, body } = await platform.post('/v1/api-tokens', { displayName: 'ci' })
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { consoleRoutes } from '../../src/console/routes.ts'
import { type Context, createContext } from '../../src/context.ts'
import { createGuards } from '../../src/guards.ts'
import { startHttp } from '../../src/http/start.ts'
import type { Upgrades } from '../../src/http/upgrades.ts'
import { createParts, type Parts } from '../../src/parts.ts'
import { startPush } from '../../src/push/start.ts'
import { apiRoutes } from '../../src/routes.ts'
import { startSignIn } from '../../src/access/sign-in/refresh-tokens.ts'
import { clientNetwork } from '../../src/lib/client-network.ts'
import { platformDatabase } from './database.ts'
import { adminPassword } from './first-administrator.ts'
import { testLog } from './log.ts'

export { adminPassword } from './first-administrator.ts'

export interface TestAnswer {
  status: number
  headers: Headers
  /** Parsed if it is JSON, else text; undefined if it is empty. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
}

export interface RequestOptions {
  /** An access token or API token; null sends none. Default: the administrator's. */
  token?: string | null
  headers?: Record<string, string>
}

export interface Platform extends AsyncDisposable {
  ctx: Context
  parts: Parts
  url: string
  /** Upgrade requests of the HTTP server. */
  upgrades: Upgrades
  secureUpgrades: Upgrades
  adminToken: string
  /** The root organization of tenant `default`. */
  organizationId: string
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<TestAnswer>
  get(path: string, options?: RequestOptions): Promise<TestAnswer>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<TestAnswer>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<TestAnswer>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<TestAnswer>
  delete(path: string, options?: RequestOptions): Promise<TestAnswer>
  /** Creates a tenant and returns the token of its administrator. */
  makeTenant(id: string): Promise<{ token: string; organizationId: string }>
}

/** @param environment variables as in the configuration, such as GANGWAY_OUTBOUND_ALLOW */
export async function startPlatform(environment: Record<string, string> = {}): Promise<Platform> {
  const database = await platformDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-platform-'))
  const config = readConfig({
    GANGWAY_DATA_DIR: dataDir,
    GANGWAY_HTTP_HOST: '127.0.0.1',
    GANGWAY_HTTP_PORT: '0',
    GANGWAY_MQTT_PORT: '0',
    GANGWAY_MQTTS_PORT: '0',
    GANGWAY_HTTPS_PORT: '0',
    GANGWAY_RATE_LIMIT_STANDARD: '999999999',
    // Test servers listen on loopback.
    GANGWAY_OUTBOUND_ALLOW: 'loopback',
    ...environment,
  })
  const ctx = await createContext(config, testLog, database, [config.secretKey ?? randomBytes(32)])
  const parts = createParts(ctx)
  const http = await startHttp(ctx, [...apiRoutes(ctx, parts), ...consoleRoutes()], createGuards(ctx))
  const push = await startPush(ctx, http.upgrades)
  const api = apiAt(ctx.endpoints.http!)
  const adminToken = await signIn(ctx, 'default')
  const withAdmin: typeof api = (method, path, body, options) =>
    api(method, path, body, { token: adminToken, ...options })
  return {
    ctx,
    parts,
    url: ctx.endpoints.http!,
    upgrades: http.upgrades,
    secureUpgrades: http.secureUpgrades,
    adminToken,
    organizationId: await rootOrganization(ctx, 'default'),
    request: withAdmin,
    get: (path, options) => withAdmin('GET', path, undefined, options),
    post: (path, body, options) => withAdmin('POST', path, body, options),
    put: (path, body, options) => withAdmin('PUT', path, body, options),
    patch: (path, body, options) => withAdmin('PATCH', path, body, options),
    delete: (path, options) => withAdmin('DELETE', path, undefined, options),
    makeTenant: (id) => makeTenant(ctx, withAdmin, id),
    [Symbol.asyncDispose]: async () => {
      await push[Symbol.asyncDispose]()
      await http[Symbol.asyncDispose]()
      await ctx.attempts[Symbol.asyncDispose]()
      await ctx.activity[Symbol.asyncDispose]()
      await ctx.connectionEvents[Symbol.asyncDispose]()
      await ctx.settingsRecorder[Symbol.asyncDispose]()
      await ctx.outbound.close()
      await ctx.files[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type Api = Platform['request']

/** A string, Buffer or stream is sent unchanged, anything else as JSON. */
export const apiAt =
  (url: string): Api =>
  async (method, path, body, { token = null, headers = {} } = {}) => {
    const isJson =
      body !== undefined &&
      (typeof body !== 'object' || body === null || !isRaw(body)) &&
      typeof body !== 'string'
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      body: (isJson ? JSON.stringify(body) : body) as RequestInit['body'],
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    return { status: response.status, headers: response.headers, body: parse(await response.text()) }
  }

const isRaw = (body: object) =>
  body instanceof Uint8Array || body instanceof ReadableStream || body instanceof FormData

function parse(text: string) {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export async function logIn(api: Api, username: string, password: string): Promise<string> {
  const { status, body } = await api('POST', '/v1/auth/login', { username, password })
  if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`)
  return body.accessToken
}

async function makeTenant(ctx: Context, api: Api, id: string) {
  const administrator = { displayName: 'Admin', email: `admin@${id}.example`, password: adminPassword }
  const { status, body } = await api('POST', '/v1/tenants', { id, displayName: id, administrator })
  if (status !== 201) throw new Error(`making a tenant answered ${status}: ${JSON.stringify(body)}`)
  return { token: await signIn(ctx, id), organizationId: await rootOrganization(ctx, id) }
}

/** A token like that of a sign-in, but without checking a password, which takes time. */
export async function signInAs({ db, accessTokens }: Context, userId: string): Promise<string> {
  const { tenant_id } = await db
    .selectFrom('users')
    .select('tenant_id')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const { familyId } = await startSignIn(db, { userId, network: clientNetwork('127.0.0.1') })
  return accessTokens.issue({ userId, tenantId: tenant_id, familyId })
}

/** The token of the tenant's only user. */
async function signIn(ctx: Context, tenantId: string): Promise<string> {
  const { id } = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return signInAs(ctx, id)
}

async function rootOrganization({ db }: Context, tenantId: string) {
  const row = await db
    .selectFrom('organizations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('parent_organization_id', 'is', null)
    .executeTakeFirstOrThrow()
  return row.id
}
