import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeGroup, type TestGroup } from '../../test/harness/enrollment-group.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
let group: TestGroup
let ca: string
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_TRUST_PROXY: '1' })
  group = await makeGroup(platform)
  ca = await readFile(join(platform.ctx.config.dataDir, 'tls', 'ca.crt'), 'utf8')
})
afterAll(() => platform[Symbol.asyncDispose]())

async function get(path: string, headers: Record<string, string> = {}) {
  const url = platform.ctx.endpoints.https! + path
  const message = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(url, { ca, headers, agent: false }, resolve).on('error', reject).end()
  })
  return { status: message.statusCode, body: await text(message) }
}

test('HTTPS serves the onboarding paths and the certificate that verifies it, and nothing else', async () => {
  await group.add('pump-1')
  await group.provision('pump-1')
  const credentials = Buffer.from(`pump-1:${group.bootstrapKey}`).toString('base64')
  expect((await get('/get_settings', { authorization: `Basic ${credentials}` })).status).toBe(200)
  expect((await get('/get_settings')).status).toBe(401)
  expect(await get('/v1/ca.crt')).toEqual({ status: 200, body: ca })
  expect((await get('/v1/assets')).status).toBe(404)
  expect((await get('/healthz')).status).toBe(404)
})

test('the addresses of the server name HTTPS', async () => {
  const { https } = platform.ctx.endpoints
  expect(https).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  Object.assign(platform.ctx.endpoints, { mqtt: 'mqtt://127.0.0.1:1', mqtts: 'mqtts://127.0.0.1:1' })
  expect((await platform.get('/v1/endpoints')).body.https).toBe(https)
})

test('over HTTPS the address that a device names for itself is not believed', async () => {
  const guess = (number: number) =>
    get('/get_settings', {
      authorization: `Basic ${Buffer.from('pump-2:wrong').toString('base64')}`,
      'x-forwarded-for': `192.0.2.${number}`,
    })
  for (let number = 1; number <= 10; number++) expect((await guess(number)).status).toBe(401)
  expect((await guess(11)).status).toBe(429)
})
