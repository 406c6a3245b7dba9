import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, apiAt, type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
let onboarding: Api
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_ONBOARDING_PORT: '0' })
  onboarding = apiAt(platform.ctx.endpoints.onboarding!)
})
afterAll(() => platform[Symbol.asyncDispose]())

/** Statuses at the HTTP port and at the onboarding port, with the administrator's token. */
async function ask(method: string, path: string): Promise<[http: number, onboarding: number]> {
  const token = platform.adminToken
  const [http, moved] = [
    await platform.request(method, path),
    await onboarding(method, path, undefined, { token }),
  ]
  return [http.status, moved.status]
}

test('what needs no token of a user moves to the onboarding port', async () => {
  // [docs/onboarding#port]
  expect(await ask('GET', '/get_settings')).toEqual([404, 401])
  expect(await ask('POST', '/api/webhooks/provider-events')).toEqual([404, 401])
  expect((await ask('GET', '/.well-known/est/cacerts'))[0]).toBe(404)
  expect((await ask('GET', '/.well-known/est/cacerts'))[1]).not.toBe(404)
  expect((await ask('GET', '/.well-known/pki/default/crl'))[0]).toBe(404)
})

test('what administrators use answers on the HTTP port as well, with a token only', async () => {
  for (const path of ['/api/enrollment-groups', '/api/routing-targets', '/api/onboarding/attempts']) {
    expect(await ask('GET', path)).toEqual([200, 200])
    expect((await platform.get(path, { token: null })).status).toBe(401)
  }
  expect(await ask('POST', '/provision_device')).toEqual([400, 400])
  expect((await platform.post('/provision_device', {}, { token: null })).status).toBe(401)
})

test('the platform stays where it was', async () => {
  expect(await ask('GET', '/v1/assets')).toEqual([200, 404])
  expect(await ask('GET', '/healthz')).toEqual([200, 404])
  expect(await ask('GET', '/console/')).toEqual([200, 404])
})
