/** Requests over connections that fall silent. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type ConnectOptions } from '../src/index.ts'

/**
 * Answers `/v1/assets/half` with half a body and `/v1/assets/cut` with a body that breaks off. Other requests get no
 * response.
 */
let server: Server
let url: string
let answered = 0
beforeAll(async () => {
  server = createServer(({ url: path }, response) => {
    response.setHeader('content-type', 'application/json')
    if (path === '/v1/auth/me') return void response.end('{"tenantId": "default"}')
    if (path === '/v1/assets/half') return void response.write('{"id": ')
    if (path === '/v1/assets/cut') {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"id": ', () => response.destroy())
    }
    answered++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const connectAs = (options: Partial<ConnectOptions> = {}) => connect({ url, token: 'a', ...options })
const asset = (assetId: string) => ({ path: { assetId } })

test.each(['silent', 'half'])('a request without a complete response ends in time: %s', async (id) => {
  const request = connectAs({ timeoutMs: 100 }).get('/v1/assets/{assetId}', asset(id))
  await expect(request).rejects.toMatchObject({
    name: 'ConnectionError',
    request: `GET /v1/assets/${id}`,
    timeoutMs: 100,
    message: `GET /v1/assets/${id} had no answer within 0.1 s.`,
  })
})

test('a request may have a time limit of its own, and the next one succeeds', async () => {
  const gangway = connectAs()
  const request = gangway.get('/v1/assets/{assetId}', { ...asset('silent'), timeoutMs: 50 })
  await expect(request).rejects.toMatchObject({ timeoutMs: 50 })
  expect(await gangway.get('/v1/auth/me')).toEqual({ tenantId: 'default' })
})

test('pages of a list and responses read as bytes have the same limit', async () => {
  const gangway = connectAs({ timeoutMs: 50 })
  await expect(gangway.page('/v1/assets')).rejects.toMatchObject({ timeoutMs: 50 })
  await expect(gangway.list('/v1/assets').next()).rejects.toMatchObject({ timeoutMs: 50 })
  await expect(gangway.request('get', '/v1/assets')).rejects.toMatchObject({ timeoutMs: 50 })
  const started = await connectAs().request('get', '/v1/assets/{assetId}', asset('half'))
  expect(started.status).toBe(200)
  await started.body!.cancel()
})

test('a pending renewal of the token ends in time, too', async () => {
  const gangway = connectAs({
    timeoutMs: 50,
    token: () => new Promise(() => {}),
  })
  await expect(gangway.get('/v1/auth/me')).rejects.toMatchObject({ timeoutMs: 50 })
})

test('a form has no time limit unless one is given', async () => {
  const gangway = connectAs({ timeoutMs: 20 })
  const before = answered
  const leaving = new AbortController()
  const body = new FormData()
  const upload = gangway.post('/v1/resources/upload', { body, signal: leaving.signal })
  await expect.poll(() => answered).toBe(before + 1)
  await expect(gangway.get('/v1/assets')).rejects.toMatchObject({ timeoutMs: 20 })
  leaving.abort(new Error('left the page'))
  await expect(upload).rejects.toThrow('left the page')
  const limited = gangway.post('/v1/resources/upload', { body, timeoutMs: 30 })
  await expect(limited).rejects.toMatchObject({ timeoutMs: 30 })
})

test('the abort of the caller takes precedence over the time limit', async () => {
  const reason = new Error('left the page')
  const leaving = new AbortController()
  const request = connectAs().get('/v1/assets/{assetId}', { ...asset('half'), signal: leaving.signal })
  setTimeout(() => leaving.abort(reason), 20)
  await expect(request).rejects.toBe(reason)
})

test('a response that breaks off is a ConnectionError', async () => {
  await expect(connectAs().get('/v1/assets/{assetId}', asset('cut'))).rejects.toMatchObject({
    name: 'ConnectionError',
    request: 'GET /v1/assets/cut',
    timeoutMs: undefined,
  })
})
