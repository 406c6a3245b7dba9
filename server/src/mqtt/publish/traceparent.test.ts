import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../../test/harness/gateway.ts'
import { findTraceparent } from './traceparent.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test.each([
  [[['traceparent', valid]], valid],
  [[['other', valid]], undefined],
  [[['traceparent', valid.toUpperCase()]], undefined],
  [[['traceparent', `${valid}-more`]], undefined],
  [[['traceparent', valid.replace(/^00/, 'ff')]], undefined],
  [[['traceparent', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]], undefined],
  [[['traceparent', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`]], undefined],
  [
    [
      ['traceparent', valid],
      ['traceparent', valid],
    ],
    undefined,
  ],
] as [[string, string][], string | undefined][])('of %j is %s', (userProperties, expected) => {
  expect(findTraceparent(userProperties)).toBe(expected)
})

test('it goes on with the event of reported properties [docs/mqtt#mqtt-5]', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.connect(device, { protocolVersion: 5 })
  const report = (traceparent: string) =>
    client.publishAsync(`devices/${device.id}/twin/reported`, `{"by":"${traceparent}"}`, {
      qos: 1,
      properties: { userProperties: { traceparent } },
    })
  await report(valid)
  await report('invalid')
  const { rows } = await gateway.database.pool.query(
    `select payload ->> 'traceparent' as traceparent from outbox where payload ->> 'providerClientId' = $1 order by id`,
    [device.id],
  )
  expect(rows).toEqual([{ traceparent: valid }, { traceparent: null }])
  await client.endAsync()
})
