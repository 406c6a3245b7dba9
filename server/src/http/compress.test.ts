import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { storeSamples } from '../../test/harness/telemetry.ts'
import { apiRoutes } from '../routes.ts'
import { isCompressible } from './compress.ts'
import type { Route } from './route.ts'

const SAMPLES = 5000
let platform: Platform
let routes: Route[]
beforeAll(async () => {
  platform = await startPlatform()
  routes = apiRoutes(platform.ctx, platform.parts)
  const created = await platform.post('/v1/providers/mqtt/clients', { id: 'pump-7', displayName: 'Pump 7' })
  expect(created.status).toBe(201)
  const { number } = await platform.ctx.db.selectFrom('tenants').select('number').executeTakeFirstOrThrow()
  const owner = { tenantNumber: number, ownerType: 'client' as const, ownerId: 'pump-7' }
  const from = Date.parse('2026-03-01T00:00:00Z')
  const samples = Array.from({ length: SAMPLES }, (_, index) => ({
    name: 'temperature',
    time: from + index * 5000,
    value: 20 + (index % 97) / 10,
  }))
  await storeSamples(platform.ctx, owner, samples)
})
afterAll(() => platform[Symbol.asyncDispose]())

/** The compressed answer; `fetch` would unpack it. */
async function open(method: string, path: string, headers: IncomingHttpHeaders, body?: unknown) {
  const asked = request(platform.url + path, {
    method,
    headers: {
      authorization: `Bearer ${platform.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response
}

async function call(...[method, path, headers, body]: Parameters<typeof open>) {
  const response = await open(method, path, headers, body)
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

const history = {
  assetId: 'pump-7',
  timeseriesName: ['temperature'],
  searchSpanFrom: '2026-03-01T00:00:00Z',
  searchSpanTo: '2026-03-02T00:00:00Z',
}
const getHistory = (headers: IncomingHttpHeaders) => call('POST', '/v1/timeseries/get', headers, history)

test.each([
  ['application/json', 'gzip', gunzipSync],
  ['application/json', 'br', brotliDecompressSync],
  ['text/csv', 'gzip', gunzipSync],
  ['text/csv', 'br', brotliDecompressSync],
] as const)(
  'telemetry as %s is compressed with %s to a fifth of its size without loss',
  async (accept, encoding, unpack) => {
    const plain = await getHistory({ accept })
    const packed = await getHistory({ accept, 'accept-encoding': encoding })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringContaining('accept-encoding'),
    })
    expect(packed.headers['content-length']).toBeUndefined()
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
  },
)

test.each([
  ['gzip;q=0', undefined],
  ['identity', undefined],
  ['zstd', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
])('Accept-Encoding: %s is answered with %s', async (accepted, encoding) => {
  const { status, headers } = await getHistory({ 'accept-encoding': accepted })
  expect([status, headers['content-encoding']]).toEqual([200, encoding])
})

test('small answers and errors are not compressed', async () => {
  for (const path of ['/v1/auth/me', '/v1/assets', '/v1/assets/none', '/v1/nothing']) {
    const { headers } = await call('GET', path, { 'accept-encoding': 'gzip' })
    expect([path, headers['content-encoding']]).toEqual([path, undefined])
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
  }
})

test('HEAD has the headers of GET, without a body', async () => {
  const { status, bytes } = await call('HEAD', '/v1/tenants', { 'accept-encoding': 'gzip' })
  expect([status, bytes.length]).toEqual([200, 0])
})

test('files and documents are not compressed, nor are their ranges', async () => {
  const document = { text: 'all the same '.repeat(1000) }
  const { body } = await platform.post('/v1/resources', { displayName: 'a', document })
  const path = `/v1/resources/download/${body.id}`
  const whole = await call('GET', path, { 'accept-encoding': 'gzip' })
  expect(whole.headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(whole.bytes.toString())).toEqual(document)
  const part = await call('GET', path, { 'accept-encoding': 'gzip', range: 'bytes=2-5' })
  expect([part.status, part.bytes.toString()]).toEqual([206, 'text'])
})

/** Names of fields anywhere in a schema. */
function* listFields(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, part] of Object.entries(schema)) {
    if (key === 'properties') yield* Object.keys(part as object)
    yield* listFields(part)
  }
}
const SECRET_NAME = /^(primary|secondary)_?key$|(?<!continuation_)token$|^(logo|favicon)Url$|secret|password/i

test('answers with keys, tokens and signed links are marked as secret, so they are never compressed', () => {
  const holding = (schemas: (TSchema | null)[]) =>
    schemas.some((schema) => [...listFields(schema)].some((name) => SECRET_NAME.test(name)))
  const named = routes.filter((route) => holding(Object.values(route.response)))
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((route) => !route.secret).map(({ method, url }) => `${method} ${url}`)).toEqual([])
  expect(named.filter(isCompressible)).toEqual([])
})

test('secret answers are not cached', async () => {
  const token = await platform.post('/v1/api-tokens', { displayName: 'a' })
  const credentials = await platform.get('/v1/providers/mqtt/clients/pump-7/credentials')
  const login = await platform.post('/v1/auth/refresh', { refreshToken: 'a' }, { token: null })
  expect([token, credentials].map(({ headers }) => headers.get('cache-control'))).toEqual([
    'no-store',
    'no-store',
  ])
  expect(login.status).toBe(401)
})

test('a client that disconnects during a compressed answer releases its query', async () => {
  // One more than a tenant may have open at once.
  for (let count = 0; count < 41; count++) {
    const headers = { accept: 'text/csv', 'accept-encoding': 'gzip' }
    const response = await open('POST', '/v1/timeseries/get', headers, history)
    expect(response.statusCode).toBe(200)
    response.destroy()
    await once(response, 'close')
  }
  await expect.poll(async () => (await getHistory({})).status).toBe(200)
})

test.each([
  ['that is parsed', '/v1/api-tokens', 'application/json', 'application/json'],
  ['that is a form', '/v1/resources/upload', 'multipart/form-data; boundary=a', 'multipart/form-data'],
  ['of lines', '/api/enrollment-groups/{id}/devices/bulk', 'application/x-ndjson', 'application/x-ndjson'],
  ['of telemetry', '/v1/providers/mqtt/clients/pump-7/telemetry', 'application/json', '*'],
])('a compressed body %s is refused before it is read', async (_what, path, type, accepted) => {
  const id = '0190b0f0-0000-7000-8000-000000000000'
  const headers = { 'content-type': type, 'content-encoding': 'gzip' }
  const url = path.replace('{id}', id)
  const { status, body } = await platform.post(url, gzipSync('{}'), { headers })
  expect([status, body.error]).toEqual([415, 'unsupported_media_type'])
  expect(body.message).toBe('Send the body without Content-Encoding; gzip is not read.')
  if (!path.startsWith('/api/')) expect(body.details).toEqual({ accepted })
})
