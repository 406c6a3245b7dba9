import { once } from 'node:events'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testLog } from '../../test/harness/log.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import type { Guards } from '../http/access.ts'
import { createHttpServer } from '../http/server.ts'
import { chooseEncoding } from './encode.ts'
import { makePolicy } from './page.ts'
import { consoleRoutes } from './routes.ts'

const page =
  '<!doctype html><head></head><meta property="csp-nonce" nonce="__CSP_NONCE__"><div id="root"></div>'
const script = `console.log('${'gangway '.repeat(400)}')`
const scriptPath = 'static/index-B1a2C3d4.js'

let directory: Awaited<ReturnType<typeof temporaryDirectory>>
let server: FastifyInstance
let dist: string
beforeEach(async () => {
  directory = await temporaryDirectory()
  dist = join(directory.path, 'dist')
  const guards = { open: async () => undefined } as unknown as Guards
  server = createHttpServer({
    routes: consoleRoutes({ directory: dist }),
    guards,
    log: testLog,
    trustProxy: false,
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await server.close()
  await directory[Symbol.asyncDispose]()
})

async function build() {
  await mkdir(join(dist, 'static'), { recursive: true })
  await writeFile(join(dist, scriptPath), script)
  await writeFile(join(dist, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(dist, 'index.html'), page)
}

async function get(path: string, headers: IncomingHttpHeaders = {}, method = 'GET') {
  const { port } = server.server.address() as AddressInfo
  const asked = request({ host: '127.0.0.1', port, path, method, headers })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

test.each(['/', '/console'])('%s leads to the console', async (path) => {
  const { status, headers } = await get(path)
  expect([status, headers.location]).toEqual([302, '/console/'])
})

test.each(['/console/', '/console/devices?tab=live', '/console/assets/pump.7/', '/console/assets/a.b.js/x'])(
  '%s is the page',
  async (path) => {
    await build()
    const { status, headers, bytes } = await get(path)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
    expect(bytes.toString()).toContain('<div id="root">')
  },
)

test('the page allows scripts of this server alone, and style elements by a nonce of their own', async () => {
  await build()
  const [one, other] = [await get('/console/'), await get('/console/')]
  const policy = String(one.headers['content-security-policy'])
  const [, nonce] = /'nonce-([^']+)'/.exec(policy)!
  expect(one.bytes.toString()).toContain(`nonce="${nonce}"`)
  expect(String(other.headers['content-security-policy'])).not.toContain(nonce)
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
  expect(policy).not.toContain('unsafe')
  expect(policy).toMatch(/connect-src 'self' ws:\/\/127\.0\.0\.1:\d+ wss:\/\/127\.0\.0\.1:\d+;/)
  expect(one.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  })
})

test('a host that could change the policy is left out of it', () => {
  expect(makePolicy("evil.example; script-src 'unsafe-inline'", 'n')).toContain("connect-src 'self';")
})

test('tiles of maps are loaded from their origin alone, and the page says from where [docs/console#map-tiles]', async () => {
  await build()
  const plain = await get('/console/')
  expect(String(plain.headers['content-security-policy'])).toContain("img-src 'self' data: blob:;")
  await server.close()
  const address = 'https://tiles.example.com/{z}/{x}/{y}.png?a=1&b="'
  const tiles = {
    template: { address, origin: 'https://tiles.example.com' },
    attribution: '© <b>Owner</b> $& $1',
  }
  const guards = { open: async () => undefined } as unknown as Guards
  const routes = consoleRoutes({ directory: dist, tiles })
  server = createHttpServer({ routes, guards, log: testLog, trustProxy: false })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { headers, bytes } = await get('/console/')
  expect(String(headers['content-security-policy'])).toContain(
    "img-src 'self' data: blob: https://tiles.example.com;",
  )
  expect(bytes.toString()).toContain('content="https://tiles.example.com/{z}/{x}/{y}.png?a=1&amp;b=&quot;"')
  expect(bytes.toString()).toContain(
    'data-attribution="© &lt;b&gt;Owner&lt;/b&gt; $& $1"'.replace('$&', '$&amp;'),
  )
  expect(headers.etag).not.toBe(plain.headers.etag)
  expect((await get('/console/', { 'if-none-match': plain.headers.etag! })).status).toBe(200)
  expect((await get('/console/', { 'if-none-match': headers.etag! })).status).toBe(304)
})

test('a file with a hash in its name is cached for good, and others are asked for again', async () => {
  await build()
  const hashed = await get(`/console/${scriptPath}`)
  expect([hashed.status, hashed.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  for (const path of ['/console/favicon.svg', '/console/']) {
    const { headers } = await get(path)
    expect(headers['cache-control']).toBe('no-cache')
    const again = await get(path, { 'if-none-match': `"other", W/${headers.etag}` })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    expect(again.headers['content-security-policy']).toBeUndefined()
  }
})

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
] as const)('a file is compressed for Accept-Encoding: %s', async (accepted, encoding, unpack) => {
  await build()
  const { headers, bytes } = await get(`/console/${scriptPath}`, { 'accept-encoding': accepted })
  expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding'])
  expect(bytes.length).toBeLessThan(script.length / 10)
  expect(unpack(bytes).toString()).toBe(script)
  expect(Number(headers['content-length'])).toBe(bytes.length)
})

test('an encoding with q=0 is refused', () => {
  expect(chooseEncoding('br;q=0, gzip;q=0.5')).toBe('gzip')
  expect(chooseEncoding('br; q=0.0')).toBeUndefined()
  expect(chooseEncoding()).toBeUndefined()
})

test.each([
  '/console/static/index-00000000.js',
  '/console/missing.txt',
  '/console/%2e%2e/%2e%2e/package-00000000.json',
])('%s is not found', async (path) => {
  await build()
  expect((await get(path)).status).toBe(404)
})

test.each(['/console/../package.json', '/console/..%2f..%2fpackage.json'])(
  'no file beside the bundle is served at %s',
  async (path) => {
    await build()
    await writeFile(join(directory.path, 'package.json'), '{"name": "secret"}')
    expect((await get(path)).bytes.toString()).toContain('<div id="root">')
  },
)

test('other methods are refused', async () => {
  await build()
  const { status, headers } = await get('/console/devices', {}, 'POST')
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  const head = await get('/console/', {}, 'HEAD')
  expect([head.status, head.bytes.length]).toEqual([200, 0])
})

test('without a bundle a page says how to build it; a build is served without a restart', async () => {
  const missing = await get('/console/')
  expect([missing.status, missing.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(missing.bytes.toString()).toContain('npm run build')
  await build()
  expect((await get('/console/')).status).toBe(200)
  await writeFile(join(dist, 'index.html'), page.replace('root', 'changed'))
  await utimes(join(dist, 'index.html'), new Date(), new Date(Date.now() + 5000))
  expect((await get('/console/')).bytes.toString()).toContain('id="changed"')
  await rm(dist, { recursive: true })
  expect((await get('/console/')).status).toBe(404)
})
