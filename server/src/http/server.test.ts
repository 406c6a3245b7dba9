import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('a platform path answers with and without /v1 [docs/api#addresses]', async () => {
  expect((await platform.get('/v1/auth/me')).body.email).toBe('admin@example.com')
  expect((await platform.get('/auth/me')).body.email).toBe('admin@example.com')
})

test('the next page of a list and the reason of a refusal name the path as it was requested', async () => {
  for (const displayName of ['one', 'two']) await platform.post('/v1/api-tokens', { displayName })
  for (const path of ['/v1/api-tokens', '/api-tokens']) {
    const next = /<(.+)>; rel="next"/.exec((await platform.get(`${path}?limit=1`)).headers.get('link')!)![1]!
    expect(next).toMatch(new RegExp(`^${path}\\?limit=1&cursor=`))
    expect((await platform.get(next)).status).toBe(200)
    for (const wrong of [`${path}/a/b/c`, `${path}//`]) {
      const { status, body } = await platform.get(wrong)
      expect([status, body.message]).toEqual([404, expect.stringContaining(`no route GET ${wrong}.`)])
    }
  }
})

test('an unknown path is not_found in the shape of its API', async () => {
  expect((await platform.get('/v1/nothing')).body).toEqual({
    error: 'not_found',
    message: expect.any(String),
    details: {},
  })
  expect((await platform.get('/api/nothing')).body).toEqual({
    error: 'not_found',
    message: expect.any(String),
  })
})

test('bodies are strict in types, query parameters are coerced, unknown fields are ignored [docs/api#bodies]', async () => {
  const wrong = await platform.post('/v1/api-tokens', { displayName: 7, expiresAt: 'tomorrow' })
  expect(wrong.status).toBe(400)
  expect(wrong.body.error).toBe('validation_error')
  expect(wrong.body.details.issues).toContainEqual({
    path: 'displayName',
    message: 'must be a string; this is 7',
  })
  expect((await platform.get('/v1/api-tokens?limit=1')).status).toBe(200)
  expect((await platform.get('/v1/api-tokens?limit=0')).status).toBe(400)
  expect((await platform.get('/v1/api-tokens?limit=many')).status).toBe(400)
  expect((await platform.post('/v1/api-tokens', { displayName: 'a', id: 'mine' })).body.id).not.toBe('mine')
})

test.each([
  ['not JSON', '{"displayName":', 400, 'validation_error'],
  ['empty', '', 400, 'validation_error'],
  ['an array', '[]', 400, 'validation_error'],
  ['null', 'null', 400, 'validation_error'],
  ['too deep', `{"displayName":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, 'validation_error'],
  ['with __proto__', '{"displayName":"a","__proto__":{"x":1}}', 400, 'validation_error'],
  ['with NUL', '{"displayName":"a\\u0000b"}', 400, 'validation_error'],
  ['over 1 MiB', JSON.stringify({ displayName: 'a'.repeat(1024 * 1024) }), 413, 'payload_too_large'],
])('a body that is %s', async (_what, body, status, error) => {
  const answer = await platform.post('/v1/api-tokens', body, {
    headers: { 'content-type': 'application/json' },
  })
  expect([answer.status, answer.body.error]).toEqual([status, error])
})

test('access is checked before the body is validated', async () => {
  const answer = await platform.post('/v1/api-tokens', '{', {
    token: null,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
})

test.each(['\u0000', '\ud800'])(
  'credentials with text that cannot be stored are wrong ones: %j',
  async (text) => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = [{ alg: 'RS256' }, { iss: `a${text}`, aud: [text], sub: text }].map(encode).join('.')
    expect((await platform.get('/v1/auth/me', { token: `${token}.AAAA` })).status).toBe(401)
    const basic = Buffer.from(`pump${text}:key${text}`).toString('base64')
    const headers = { authorization: `Basic ${basic}` }
    expect((await platform.get('/get_settings', { token: null, headers })).status).toBe(401)
  },
)

test('the Links of a list lead through all entries without a gap', async () => {
  for (let index = 0; index < 5; index++)
    await platform.post('/v1/api-tokens', { displayName: `paged ${index}` })
  const all = (await platform.get('/v1/api-tokens')).body
  const seen = []
  let next: string | undefined = '/v1/api-tokens?limit=2'
  while (next) {
    const page = await platform.get(next)
    expect(page.body.length).toBeLessThanOrEqual(2)
    seen.push(...page.body)
    next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(all)
  expect((await platform.get('/v1/api-tokens?cursor=bm90IGE')).body.error).toBe('validation_error')
})

test('every answer forbids content sniffing, including errors and unknown paths', async () => {
  for (const path of ['/healthz', '/v1/auth/me', '/v1/organizations', '/nowhere', '/docs', '/openapi.json'])
    for (const token of [platform.adminToken, null])
      expect([path, (await platform.get(path, { token })).headers.get('x-content-type-options')]).toEqual([
        path,
        'nosniff',
      ])
})

test('the reference has a content security policy, and no script of its own in the page', async () => {
  const { headers, body } = await platform.get('/docs', { token: null })
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(body).not.toMatch(/<script>|<script[^>]*>[^<]|\son\w+=|https?:\/\//)
  for (const [, source] of body.matchAll(/<script src="([^"]+)"/g)) {
    const script = await platform.get(source, { token: null })
    expect(script.headers.get('content-type')).toContain('text/javascript')
    expect(script.status).toBe(200)
  }
})

test('GANGWAY_METRICS_TOKEN is required to read the metrics', async () => {
  const token = 'a-token-of-the-monitoring'
  await using closed = await startPlatform({ GANGWAY_METRICS_TOKEN: token })
  for (const wrong of [null, closed.adminToken, `${token}x`, ''])
    expect(await closed.get('/metrics', { token: wrong })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized', message: expect.stringContaining('GANGWAY_METRICS_TOKEN') },
    })
  const { status, body } = await closed.get('/metrics', { token })
  expect(status).toBe(200)
  expect(body).toContain('gangway_http_request_seconds')
})

test('health, readiness, metrics, description and reference need no credentials', async () => {
  const open = { token: null }
  // This platform has no MQTT gateway.
  expect(await platform.get('/readyz', open)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', database: true, broker: false, ingest: true, files: true, disk: true },
  })
  platform.ctx.endpoints.mqtt = 'mqtt://127.0.0.1:1883'
  expect(await platform.get('/readyz', open)).toMatchObject({
    status: 200,
    body: { status: 'ok', broker: true },
  })
  expect((await platform.get('/healthz', open)).body).toEqual({ status: 'ok' })
  expect((await platform.get('/metrics', open)).body).toContain('gangway_http_request_seconds_count')
  expect((await platform.get('/openapi.json', open)).body.openapi).toBe('3.1.0')
  expect((await platform.get('/docs/show-reference.js', open)).body).toContain('/openapi.json')
  expect((await platform.get('/docs/swagger-ui-bundle.js', open)).status).toBe(200)
  expect((await platform.get('/docs/..%2f..%2fpackage.json', open)).status).toBe(400)
})
