import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const attempt = (body: object) => platform.post('/v1/parsers/try', body)

test('shows the values and times that would be stored [docs/providers#payload-parsers]', async () => {
  const payload = 'cpu,host=a idle=90.5,on=true 1556813561098000000\ncpu idle=1'
  const before = Date.now()
  const { status, body } = await attempt({ parser: 'influx-line', payload })
  expect(status).toBe(200)
  const timestamp = '2019-05-02T16:12:41.098Z'
  expect(body).toEqual({
    samples: [
      { name: 'cpu.idle,host=a', value: 90.5, timestamp, unit: null },
      { name: 'cpu.on,host=a', value: true, timestamp, unit: null },
      { name: 'cpu.idle', value: 1, timestamp: expect.any(String), unit: null },
    ],
    deadLetter: null,
  })
  expect(Date.parse(body.samples[2].timestamp)).toBeGreaterThanOrEqual(before)
})

test('it shows options, units, ages and values of every type', async () => {
  const pack = [{ n: 'a', u: 'Cel', t: -3600, v: 1 }]
  const { body } = await attempt({ parser: 'senml', payload: JSON.stringify(pack) })
  expect(body.samples[0]).toMatchObject({ name: 'a', value: 1, unit: 'Cel' })
  expect(Date.now() - Date.parse(body.samples[0].timestamp)).toBeGreaterThanOrEqual(3_600_000)
  const reshaped = await attempt({
    parser: 'jmespath',
    options: { expression: '{o: @, l: [a], s: b, n: c}' },
    payload: '{"a": 1, "b": "x"}',
  })
  expect(reshaped.body.samples.map(({ value }: { value: unknown }) => value)).toEqual([
    { a: 1, b: 'x' },
    [1],
    'x',
  ])
})

test('a binary payload is sent as base64', async () => {
  const payload = Buffer.from('a16161f93e00', 'hex').toString('base64')
  expect((await attempt({ parser: 'cbor', payload, encoding: 'base64' })).body.samples).toMatchObject([
    { name: 'a', value: 1.5 },
  ])
  expect(await attempt({ parser: 'cbor', payload: 'no base64!', encoding: 'base64' })).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path: 'payload' }] } },
  })
})

test('an unreadable payload shows the dead letter that it would become', async () => {
  const { status, body } = await attempt({ parser: 'json', payload: '{"a": 1e999}' })
  expect(status).toBe(200)
  expect(body).toEqual({
    samples: [],
    deadLetter: { reason: 'bad_value', message: expect.stringContaining('a ') },
  })
})

test.each([
  ['an unknown parser', { parser: 'xml' }, 'parser'],
  ['no parser', { parser: undefined }, 'parser'],
  ['a wrong option', { parser: 'influx-line', options: { precision: 'h' } }, 'options.precision'],
  ['a wrong expression', { parser: 'jmespath', options: { expression: '[' } }, 'options.expression'],
  ['a payload of another type', { parser: 'json', payload: {} }, 'payload'],
  ['an unknown encoding', { parser: 'json', encoding: 'hex' }, 'encoding'],
])('%s is a validation error', async (_what, body, path) => {
  const { status, body: answer } = await attempt({ payload: '{}', ...body })
  expect(status).toBe(400)
  expect(answer.details.issues.map((issue: { path: string }) => issue.path)).toContainEqual(
    expect.stringMatching(path === 'parser' ? /^(parser|body)$/ : path),
  )
})

test('a payload of 1 MiB is accepted, a larger one is refused', async () => {
  const payload = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  expect(await attempt({ parser: 'json', payload: payload(1024 * 1024) })).toMatchObject({ status: 200 })
  expect(await attempt({ parser: 'json', payload: payload(1024 * 1024 + 1) })).toMatchObject({ status: 400 })
})

test('any signed-in user may use it', async () => {
  const body = { parser: 'json', payload: '{}' }
  expect((await platform.post('/v1/parsers/try', body, { token: null })).status).toBe(401)
})

test('an invalid parser is refused with its path in providers, templates and clients', async () => {
  const { organizationId } = platform
  const parser = { name: 'jmespath', options: { expression: '[' } }
  const refused = async (answer: Promise<{ body: { details?: { issues: { path: string }[] } } }>) =>
    (await answer).body.details?.issues[0]?.path
  const provider = { type: 'import', displayName: 'I', organizationId }
  expect(await refused(platform.post('/v1/providers', { ...provider, providerData: { parser } }))).toBe(
    'providerData.parser.options.expression',
  )
  expect(
    await refused(platform.put('/v1/providers/mqtt', { displayName: 'M', providerData: { parser } })),
  ).toBe('providerData.parser.options.expression')
  const template = { id: 'meters', displayName: 'T', organizationId }
  const templates = '/v1/provider-templates'
  expect(await refused(platform.post(templates, { ...template, options: { parser } }))).toBe(
    'options.parser.options.expression',
  )
  const obis = { name: 'obis', options: { utcOffsetMinutes: 120 } }
  expect((await platform.post(templates, { ...template, options: { parser: obis } })).status).toBe(201)
  expect(await refused(platform.put(`${templates}/meters`, { displayName: 'T', options: { parser } }))).toBe(
    'options.parser.options.expression',
  )
  await platform.post('/v1/providers/mqtt/clients', { id: 'meter', displayName: 'M' })
  const provision = (body: object) => platform.post('/v1/providers/mqtt/clients/meter/provision', body)
  expect(await refused(provision({ options: { parser } }))).toBe('options.parser.options.expression')
  expect((await provision({ templateId: 'meters', options: {} })).body.providerData).toEqual({ parser: obis })
})

test('a provider stores its parser, and an update without one keeps it', async () => {
  const providerData = { parser: { name: 'senml' } }
  const put = (fields: object) => platform.put('/v1/providers/mqtt', { displayName: 'MQTT', ...fields })
  expect((await put({ providerData })).body.providerData).toEqual(providerData)
  expect((await put({})).body.providerData).toEqual(providerData)
  expect((await put({ providerData: {} })).body.providerData).toEqual({})
})
