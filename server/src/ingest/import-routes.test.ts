import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeImportProvider } from '../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { dsmr50 } from '../../test/harness/telegrams.ts'
import { allSamples } from '../../test/harness/sample-tables.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeImportProvider(platform)
  await platform.post('/v1/providers/mqtt/clients', { id: 'on-mqtt', displayName: 'on MQTT' })
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
async function makeClient(parser?: object) {
  const id = `meter-${++made}`
  const created = await platform.post('/v1/providers/files/clients', { id, displayName: id })
  expect(created.status).toBe(201)
  const at = `/v1/providers/files/clients/${id}`
  if (parser) expect((await platform.post(`${at}/provision`, { options: { parser } })).status).toBe(200)
  return { id, at }
}

async function listSamples(id: string, type = 'telemetry') {
  const { rows } = await platform.ctx.pool.query(
    `select series.name, sample.time, sample.value from series
     join ${allSamples} as sample on sample.series_number = series.number
     where series.owner_id = $1 and series.type = $2 order by sample.time, series.name`,
    [id, type],
  )
  return rows as { name: string; time: Date; value: unknown }[]
}

test('imported values are stored before the answer, and once if they are repeated with a time of their own [docs/providers#import]', async () => {
  const { id, at } = await makeClient()
  const payload = JSON.stringify({ timestamp: '2026-01-02T03:04:05Z', temperature: 21.5, state: 'ok' })
  for (let times = 0; times < 2; times++) {
    expect(await platform.post(`${at}/telemetry`, payload)).toMatchObject({ status: 204, body: undefined })
    expect(await listSamples(id)).toEqual([
      { name: 'state', time: new Date('2026-01-02T03:04:05Z'), value: 'ok' },
      { name: 'temperature', time: new Date('2026-01-02T03:04:05Z'), value: 21.5 },
    ])
  }
})

test('values without a time are new samples with each request', async () => {
  const { id, at } = await makeClient()
  for (let times = 0; times < 2; times++) await platform.post(`${at}/telemetry`, '{"a":1}')
  expect(await listSamples(id)).toHaveLength(2)
})

test('many concurrent imports are all stored', async () => {
  const { id, at } = await makeClient()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      platform.post(`${at}/telemetry`, JSON.stringify({ [`n${index}`]: 1 })),
    ),
  )
  expect(answers.every(({ status }) => status === 204)).toBe(true)
  expect(await listSamples(id)).toHaveLength(50)
})

test("the parser of the request takes precedence over the client's, and that over the provider's", async () => {
  const { id, at } = await makeClient({ name: 'jmespath', options: { expression: '{mapped: a}' } })
  await platform.post(`${at}/telemetry`, '{"a":1}')
  const headers = {
    'x-provider-parser': 'jmespath',
    'x-provider-parser-options': '{"expression":"{named: a}"}',
  }
  expect((await platform.post(`${at}/telemetry`, '{"a":2}', { headers })).status).toBe(204)
  expect((await listSamples(id)).map(({ name }) => name)).toEqual(['mapped', 'named'])
})

test.each([
  ['binary', 'application/octet-stream'],
  ['text', 'text/plain; charset=utf-8'],
  ['mislabelled', 'application/json'],
])('a body is passed on unchanged, whatever its content type: %s', async (_what, type) => {
  const { id, at } = await makeClient()
  const headers = { 'x-provider-parser': 'obis', 'content-type': type }
  expect((await platform.post(`${at}/telemetry`, Buffer.from(dsmr50), { headers })).status).toBe(204)
  expect(await listSamples(id)).toHaveLength(34)
})

test('an unreadable payload is a dead letter, which the answer names', async () => {
  const { id, at } = await makeClient()
  const { status, body } = await platform.post(`${at}/telemetry`, '{"a":')
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error: 'validation_error',
    details: { reason: 'not_json', issues: [{ path: 'body' }] },
  })
  const letters = (await platform.get(`${at}/dead-letters`)).body
  expect(letters).toMatchObject([{ reason: 'not_json', topic: 'telemetry' }])
  expect(body.message).toContain(letters[0].message)
  expect(await listSamples(id)).toEqual([])
  for (const empty of ['', undefined])
    expect((await platform.post(`${at}/telemetry`, empty)).status).toBe(400)
})

test('reported properties are merged into the twin, null removes, and a body that is no object is refused', async () => {
  const { id, at } = await makeClient()
  expect((await platform.post(`${at}/reported`, '{"a":1,"b":{"c":2}}')).status).toBe(204)
  expect((await platform.post(`${at}/reported`, '{"a":null,"b":{"d":3}}')).status).toBe(204)
  expect((await platform.get(`${at}/properties/reported`)).body).toEqual({ b: { c: 2, d: 3 }, $version: 2 })
  expect((await listSamples(id, 'propertyReported')).length).toBe(3)
  expect((await platform.post(`${at}/reported`, '[1]')).body.details.reason).toBe('not_an_object')
  const tooLarge = await platform.post(`${at}/reported`, JSON.stringify({ big: 'x'.repeat(300_000) }))
  expect(tooLarge).toMatchObject({ status: 400, body: { details: { reason: 'twin_too_large' } } })
})

test.each([
  ['an unknown parser', 'telemetry', { 'x-provider-parser': 'xml' }],
  [
    'options that are no JSON',
    'telemetry',
    { 'x-provider-parser': 'obis', 'x-provider-parser-options': '{' },
  ],
  ['options of no parser', 'telemetry', { 'x-provider-parser-options': '{}' }],
  [
    'options that the parser does not have',
    'telemetry',
    { 'x-provider-parser': 'obis', 'x-provider-parser-options': '{"a":1}' },
  ],
  ['a parser for reported properties', 'reported', { 'x-provider-parser': 'json' }],
])('%s is an error of the request, and no dead letter', async (_what, kind, headers) => {
  const { at } = await makeClient()
  const { status, body } = await platform.post(`${at}/${kind}`, '{"a":1}', { headers })
  expect(status).toBe(400)
  expect(body.details.issues[0].path).toMatch(/^X-Provider-Parser/)
  expect((await platform.get(`${at}/dead-letters`)).body).toEqual([])
})

test('a body over 1 MB is refused', async () => {
  const { at } = await makeClient()
  const { status, body } = await platform.post(`${at}/telemetry`, 'x'.repeat(1024 * 1024 + 1))
  expect([status, body.error]).toEqual([413, 'payload_too_large'])
})

test('an import for a client that is disabled, of another type, of another tenant or unknown is refused', async () => {
  const { id, at } = await makeClient()
  await platform.put(at, { displayName: id, enabled: false })
  expect((await platform.post(`${at}/telemetry`, '{"a":1}')).body.error).toBe('conflict')
  const onMqtt = await platform.post('/v1/providers/mqtt/clients/on-mqtt/telemetry', '{"a":1}')
  expect(onMqtt).toMatchObject({ status: 409, body: { details: { type: 'mqtt' } } })
  const { token } = await platform.makeTenant('other-importer')
  expect((await platform.post(`${at}/telemetry`, '{"a":1}', { token })).status).toBe(404)
  expect((await platform.post('/v1/providers/files/clients/nobody/telemetry', '{"a":1}')).status).toBe(404)
})

test('a client of type import cannot be reached by messages', async () => {
  const { at } = await makeClient()
  expect((await platform.post(`${at}/methods`, { method: 'reboot' })).body.error).toBe('conflict')
  expect((await platform.post(`${at}/credentials/rotate`)).body.error).toBe('conflict')
})
