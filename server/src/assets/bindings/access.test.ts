import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn, makeClient } from '../../../test/harness/bindings.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate, type TestUser } from '../../../test/harness/users.ts'

let platform: Platform
let elsewhere: string
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  elsewhere = await makeOrganization(platform)
  await insertAsset(platform, 'pump')
  await insertAsset(platform, 'other', { organization: elsewhere })
  await makeClient(platform, 'dev', { organizationId: elsewhere })
})
afterAll(() => platform[Symbol.asyncDispose]())

/** A user who manages only the asset `pump`. */
let user: TestUser
beforeEach(async () => {
  user = await makeUser(platform)
  await relate(platform, `${user.id} manager asset:pump`)
})
const bindAs = (body: object) => bind(platform, 'pump', body, { token: user.token })
const telemetry = { endpointBindings: [binding('pump/-/telemetry/temperature', 'dev/-/telemetry/t')] }

test('binding needs manage on the asset, reading its bindings needs view', async () => {
  const { id, token } = await makeUser(platform)
  const get = () => platform.get('/v1/assets/pump/bindings', { token })
  expect((await get()).status).toBe(403)
  await relate(platform, `${id} viewer asset:pump`)
  expect((await get()).status).toBe(200)
  expect(await bind(platform, 'pump', {}, { token })).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'manage', resourceType: 'asset', resourceId: 'pump' } } },
  })
})

test.each([
  ['a client', 'dev', 'provider_client'],
  ['an asset of another organization', 'other', 'asset'],
])('reading from %s needs view on it', async (_what, id, type) => {
  const body = {
    endpointBindings: [binding('pump/-/telemetry/temperature', `${id}/-/telemetry/temperature`)],
  }
  expect(await bindAs(body)).toMatchObject({
    status: 403,
    body: { details: { required: { permission: 'view', resourceType: type, resourceId: id } } },
  })
  await relate(platform, `${user.id} viewer ${type}:${id}`)
  expect(Object.keys(boundIn(await bindAs(body)))).toEqual(['pump/-/telemetry/temperature'])
})

test.each([
  ['a command', 'pump/-/command/start', 'command/start', true],
  ['a property that can be written', 'pump/-/property/target', 'property/target', true],
  ['a property that cannot', 'pump/-/property/serial', 'property/serial', false],
])('%s: whether binding needs manage on the target', async (_what, local, key, needsManage) => {
  for (const [type, id] of [
    ['provider_client', 'dev'],
    ['asset', 'other'],
  ] as const) {
    const body = { endpointBindings: [binding(local, `${id}/-/${key}`)] }
    await relate(platform, `${user.id} viewer ${type}:${id}`)
    const answer = await bindAs(body)
    if (!needsManage) expect(answer.status).toBe(200)
    else
      expect(answer).toMatchObject({
        status: 403,
        body: { details: { required: { permission: 'manage', resourceType: type, resourceId: id } } },
      })
    await relate(platform, `${user.id} manager ${type}:${id}`)
    expect((await bindAs(body)).status).toBe(200)
  }
})

test('autobind needs the same permissions', async () => {
  await bind(platform, 'pump', { endpointBindings: [binding('pump/-/command/start', {})] })
  await relate(platform, `${user.id} viewer provider_client:dev`)
  expect((await bindAs({ autobindRemoteInstanceIds: ['dev'] })).status).toBe(403)
  const written = ['-/command/start', '-/property/target', 'motor/property/limit', 'motor/command/brake']
  const ignoreEndpointsIds = written.map((key) => `pump/${key}`)
  expect((await bindAs({ ignoreEndpointsIds, autobindRemoteInstanceIds: ['dev'] })).status).toBe(200)
})

test('an API token that is limited to assets cannot bind to a client', async () => {
  const tokenFor = async (...privileges: string[]) =>
    (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges })).body.token
  const assets = await tokenFor('asset_management')
  expect((await bind(platform, 'pump', telemetry, { token: assets })).body.message).toContain('API token')
  const both = await tokenFor('asset_management', 'provider_client_management')
  expect((await bind(platform, 'pump', telemetry, { token: both })).status).toBe(200)
})

test('assets and instances of another tenant are not found', async () => {
  const { token } = await platform.makeTenant('unbound')
  expect((await bind(platform, 'pump', telemetry, { token })).status).toBe(404)
  expect((await platform.get('/v1/assets/pump/bindings', { token })).status).toBe(404)
  const client = { id: 'theirs', displayName: 'x' }
  expect((await platform.post('/v1/providers/mqtt/clients', client, { token })).status).toBe(201)
  const body = { endpointBindings: [binding('pump/-/telemetry/temperature', 'theirs/-/telemetry/t')] }
  expect((await bind(platform, 'pump', body)).body.message).toContain(
    'no provider client and no asset theirs',
  )
})
