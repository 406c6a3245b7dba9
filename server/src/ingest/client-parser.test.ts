import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from 'kysely'
import { startGateway, type TestDevice, type TestGateway } from '../../test/harness/gateway.ts'
import { dsmr50 } from '../../test/harness/telegrams.ts'
import { changeClient } from '../providers/clients/change-client.ts'
import { provisionClient } from '../providers/clients/provision-client.ts'
import type { Properties } from '../providers/twin/merge-patch.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const setParser = ({ id }: TestDevice, parser: object) =>
  sql`update provider_clients set provider_data = ${JSON.stringify({ parser })} where id = ${id}`.execute(
    gateway.ctx.db,
  )

async function publish(device: TestDevice, ...payloads: (string | Buffer)[]) {
  const client = await gateway.connect(device)
  for (const payload of payloads)
    await client.publishAsync(`devices/${device.id}/telemetry`, payload, { qos: 1 })
  await client.endAsync()
}

const storedNames = async (device: TestDevice) => (await gateway.samplesOf(device)).map(({ name }) => name)

test("a client's telemetry is read by its parser, and an unreadable payload is a dead letter [docs/providers#payload-parsers]", async () => {
  const device = await gateway.makeDevice()
  await setParser(device, { name: 'obis' })
  await publish(device, dsmr50, dsmr50.replace('!6EEE', '!0000'), '{"a": 1}')
  const samples = await gateway.samplesOf(device)
  expect(samples).toHaveLength(34)
  expect(samples).toContainEqual({ name: '1-0:1.8.1', value: 4.426, time: new Date('2017-01-02T18:20:02Z') })
  const letters = await gateway.deadLettersOf(device)
  expect(letters.map(({ reason }) => reason)).toEqual(['bad_format', 'bad_checksum'])
})

test('a reading that is repeated in the next telegram is stored once', async () => {
  const device = await gateway.makeDevice()
  await setParser(device, { name: 'obis' })
  const telegram = (second: string) =>
    [
      '/X5',
      '',
      `0-0:1.0.0(17010219200${second}W)`,
      '1-0:1.7.0(1*kW)',
      '0-1:24.2.1(170102161005W)(5*m3)',
      '!',
      '',
    ].join('\r\n')
  await publish(device, telegram('1'), telegram('2'), telegram('2'))
  expect(await storedNames(device)).toEqual(['0-1:24.2.1', '1-0:1.7.0', '1-0:1.7.0'])
})

test('the time of a reading with an age is its arrival minus the age', async () => {
  const device = await gateway.makeDevice()
  await setParser(device, { name: 'senml' })
  const before = Date.now()
  await publish(
    device,
    JSON.stringify([
      { n: 'a', v: 1 },
      { n: 'a', t: -60, v: 2 },
    ]),
  )
  const [older, newer] = await gateway.samplesOf(device)
  expect([older!.value, newer!.value]).toEqual([2, 1])
  expect(newer!.time.getTime() - older!.time.getTime()).toBe(60_000)
  expect(newer!.time.getTime()).toBeGreaterThanOrEqual(before)
})

test('a client without a parser uses that of its provider', async () => {
  const setProvider = (data: object) =>
    sql`update providers set provider_data = ${JSON.stringify(data)} where id = 'mqtt'`.execute(
      gateway.ctx.db,
    )
  await setProvider({ parser: { name: 'influx-line' } })
  const [plain, own] = [await gateway.makeDevice(), await gateway.makeDevice()]
  await setParser(own, { name: 'json' })
  await publish(plain, 'm f=1')
  await publish(own, '{"a": 1}')
  await setProvider({})
  expect(await storedNames(plain)).toEqual(['m.f'])
  expect(await storedNames(own)).toEqual(['a'])
})

test('with an invalid stored parser, payloads become dead letters and the device can still connect', async () => {
  const device = await gateway.makeDevice()
  await setParser(device, { name: 'gone' })
  await publish(device, '{"a": 1}')
  expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason: 'parser_unusable' }])
})

type Actor = Parameters<typeof changeClient>[1]
type Ref = Parameters<typeof changeClient>[2]

test.each([
  [
    'provisioned with',
    (actor: Actor, ref: Ref, options: Properties) => provisionClient(gateway.ctx, actor, ref, { options }),
  ],
  [
    'changed to',
    (actor: Actor, ref: Ref, data: Properties) =>
      changeClient(gateway.ctx, actor, ref, { providerData: () => data }),
  ],
])('a new parser, %s, reads the next messages of a connected device', async (_how, setIt) => {
  const device = await gateway.makeDevice()
  const client = await gateway.connect(device)
  const send = () =>
    client.publishAsync(`devices/${device.id}/telemetry`, '{"metrics":[{"name":"a","value":1}]}', { qos: 1 })
  await send()
  expect(await storedNames(device)).toEqual(['metrics'])
  const ref = { tenantId: 'default', providerId: 'mqtt', clientId: device.id }
  const actor = {
    kind: 'user',
    tenantId: 'default',
    userId: '00000000-0000-7000-8000-000000000000',
    requestId: '',
  } as const
  await setIt(actor as never, ref, { parser: { name: 'structured-metrics' } })
  // The gateway receives the change from the database.
  await expect
    .poll(async () => {
      await send()
      return storedNames(device)
    })
    .toContain('a')
  await client.endAsync()
})
