import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { listAccounts } from './accounts.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('a device is of the provider of its own tenant, where other tenants have one of the same id', async () => {
  // Every tenant has a provider `mqtt`; this one reads CBOR.
  const { token } = await platform.makeTenant('cbor')
  const provider = { displayName: 'MQTT', providerData: { parser: { name: 'cbor' } } }
  expect((await platform.put('/v1/providers/mqtt', provider, { token })).status).toBe(200)
  const client = { id: 'gauge', displayName: 'Gauge' }
  expect((await platform.post('/v1/providers/mqtt/clients', client)).status).toBe(201)
  const accounts = await listAccounts(platform.ctx, ['gauge'])
  expect(accounts).toMatchObject([{ id: 'gauge', tenantId: 'default', providerId: 'mqtt' }])
  expect(accounts[0]!.parse(Buffer.from('{"temperature": 21}'))).toHaveLength(1)
})
