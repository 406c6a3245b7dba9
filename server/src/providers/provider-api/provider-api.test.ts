import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { authenticateWithPrivilege } from '../../access/guards.ts'
import type { Caller } from '../../http/access.ts'
import { createProviderClient, providerClientCredentials, validateProviderClient } from './functions.ts'

let platform: Platform
/** The key of the default routing target: an API token with only this privilege. [docs/providers#provider-api] */
let apiKey: { token: string }
let other: { token: string }
let caller: Caller
beforeAll(async () => {
  platform = await startPlatform()
  other = await platform.makeTenant('neighbour')
  const privileges = ['provider_client_management']
  apiKey = (await platform.post('/v1/api-tokens', { displayName: 'onboarding', privileges })).body
  caller = await authenticateWithPrivilege(platform.ctx, apiKey.token, 'provider_client_management', 'test')
})
afterAll(() => platform[Symbol.asyncDispose]())

const api = '/v1/providers/mqtt/clients'
const validate = async (id: unknown) => (await platform.post(`${api}/validate`, { id }, apiKey)).body

test('validate, create, credentials: the three calls with an API token', async () => {
  expect(await validate('dev-1')).toEqual({ valid: true })
  const created = await platform.post(api, { id: 'dev-1', displayName: 'dev-1', enabled: true }, apiKey)
  expect(created).toMatchObject({ status: 201, body: { organizationId: platform.organizationId } })
  expect(
    (await platform.post(api, { id: 'dev-1', displayName: 'dev-1', enabled: true }, apiKey)).status,
  ).toBe(409)
  // An existing client of this tenant is valid, because it can be enrolled.
  expect(await validate('dev-1')).toEqual({ valid: true })
  const { body } = await platform.get(`${api}/dev-1/credentials`, apiKey)
  expect(Object.keys(body)).toEqual(['primaryKey', 'secondaryKey'])
})

test.each(['', 'a b', 'a/b', 'a#', 'a;1', 'ü', 'a'.repeat(129), '.', '..'])(
  'validate calls the id %j invalid',
  async (id) => {
    expect(await validate(id)).toMatchObject({
      valid: false,
      error: 'validation_error',
      message: expect.any(String),
    })
  },
)

test('validate requires a string that can be stored', async () => {
  for (const id of [1, null, undefined, 'a\u0000'])
    expect(await validate(id)).toMatchObject({ error: 'validation_error', details: {} })
})

test('an id of another tenant is invalid, and the tenant is not revealed', async () => {
  await platform.post(api, { id: 'foreign', displayName: 'F' }, other)
  const answer = await validate('foreign')
  expect(answer).toMatchObject({ valid: false, error: 'provider_rejected' })
  expect(answer.message).not.toContain('neighbour')
})

test('the functions return results for many ids in their order, including duplicates', async () => {
  await platform.post(api, { id: 'foreign-2', displayName: 'F' }, other)
  await platform.post(api, { id: 'mine', displayName: 'M' })
  const ids = ['mine', 'foreign-2', 'new', 'not valid', 'mine']
  const verdicts = await validateProviderClient(platform.ctx, caller, 'mqtt', ids)
  expect(verdicts.map(({ valid }) => valid)).toEqual([true, false, true, false, true])
  const keys = await providerClientCredentials(platform.ctx, caller, 'mqtt', ids)
  expect(keys.map((key) => key !== undefined)).toEqual([true, false, false, false, true])
  expect(keys[0]).toEqual((await platform.get(`${api}/mine/credentials`)).body)
})

test('createProviderClient says whether it created the client, and does not change an existing one', async () => {
  const create = (displayName: string) =>
    createProviderClient(platform.ctx, caller, 'mqtt', { id: 'local', displayName, enabled: true })
  expect(await create('One')).toEqual({ created: true })
  expect(await create('Two')).toEqual({ created: false })
  expect((await platform.get(`${api}/local`)).body.displayName).toBe('One')
})

test('of concurrent calls one creates the client, and the others return `created: false`', async () => {
  const client = { id: 'local-race', displayName: 'R', enabled: true }
  const results = await Promise.all(
    Array.from({ length: 8 }, () => createProviderClient(platform.ctx, caller, 'mqtt', client)),
  )
  expect(results.filter(({ created }) => created)).toHaveLength(1)
})

test("createProviderClient throws provider_rejected for another tenant's id", async () => {
  await platform.post(api, { id: 'foreign-3', displayName: 'F' }, other)
  const client = { id: 'foreign-3', displayName: 'Mine', enabled: true }
  await expect(createProviderClient(platform.ctx, caller, 'mqtt', client)).rejects.toMatchObject({
    code: 'provider_rejected',
  })
})

test('a provider that does not exist or belongs to another tenant is not found', async () => {
  await platform.put('/v1/providers/ours', {
    type: 'mqtt',
    displayName: 'Ours',
    organizationId: platform.organizationId,
  })
  const elsewhere = { ...caller, tenantId: 'neighbour' }
  await expect(validateProviderClient(platform.ctx, elsewhere, 'ours', ['a'])).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(providerClientCredentials(platform.ctx, elsewhere, 'ours', ['a'])).rejects.toMatchObject({
    code: 'not_found',
  })
  expect((await platform.post('/v1/providers/absent/clients/validate', { id: 'a' })).status).toBe(404)
})
