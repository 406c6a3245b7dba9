import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

test('a device signs in with either key and publishes telemetry', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.connect(device)
  await client.publishAsync(`devices/${device.id}/telemetry`, '{"temperature": 21.5, "on": true}', { qos: 1 })
  const { rows } = await gateway.database.pool.query('select * from samples')
  expect(rows).toHaveLength(1)
  await client.endAsync()
})
