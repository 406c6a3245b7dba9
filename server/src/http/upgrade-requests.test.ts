import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { exchange } from '../../test/harness/raw-http.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const headers = (protocol: string) => `host: a\r\nupgrade: ${protocol}\r\nconnection: upgrade, close\r\n`

test('a client that tries HTTP/2 first is answered over HTTP/1.1', async () => {
  const request = `GET /healthz HTTP/1.1\r\n${headers('h2c')}http2-settings: AAMAAABk\r\n\r\n`
  expect(await exchange(platform.url, request)).toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('the body of such a request is read', async () => {
  const login = JSON.stringify({ username: 'nobody@example.com', password: 'wrong' })
  const typed = `content-type: application/json\r\ncontent-length: ${login.length}\r\n`
  const request = `POST /v1/auth/login HTTP/1.1\r\n${headers('h2c')}${typed}\r\n${login}`
  expect(await exchange(platform.url, request)).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  })
})

test('a request for a WebSocket on a path without one is refused', async () => {
  const request = `GET /healthz HTTP/1.1\r\n${headers('WebSocket')}\r\n`
  expect(await exchange(platform.url, request)).toMatchObject({ status: 404, body: { error: 'not_found' } })
})
