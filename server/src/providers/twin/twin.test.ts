import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectSession } from '../../../test/harness/live-session.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { MAX_DESIRED_BYTES } from './set-desired.ts'
import { getDesired, listDesired } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const clients = '/v1/providers/mqtt/clients'

async function newTwin(id: string) {
  await platform.post(clients, { id, displayName: id })
  const url = `${clients}/${id}/properties/desired`
  return {
    put: (body: unknown) => platform.put(url, body),
    get: async (query = '') => (await platform.get(url + query)).body,
    session: (...topics: string[]) => connectSession(platform.ctx, id, topics),
    topic: `devices/${id}/twin/desired`,
    number: async () =>
      (
        await platform.ctx.db
          .selectFrom('provider_clients')
          .select('number')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).number,
  }
}

test('PUT merges, null removes, and the answer is the full state with a growing $version [docs/twins#desired-properties]', async () => {
  const twin = await newTwin('merged')
  expect(await twin.get()).toEqual({ $version: 0 })
  expect((await twin.put({ interval: 10, led: { color: 'red', on: true } })).body).toEqual({
    interval: 10,
    led: { color: 'red', on: true },
    $version: 1,
  })
  const { status, body } = await twin.put({ interval: null, led: { on: false }, list: [1, null] })
  expect(status).toBe(200)
  expect(body).toEqual({ led: { color: 'red', on: false }, list: [1, null], $version: 2 })
  expect(await twin.get()).toEqual(body)
})

test('the properties are accepted next to componentId or wrapped in `properties` [docs/twins#desired-properties]', async () => {
  const twin = await newTwin('shapes')
  expect((await twin.put({ componentId: null, properties: { a: 1 } })).body).toEqual({ a: 1, $version: 1 })
  expect((await twin.put({ componentId: null, b: 2 })).body).toEqual({ a: 1, b: 2, $version: 2 })
  expect((await twin.put({ properties: { properties: { c: 3 } } })).body).toMatchObject({
    properties: { c: 3 },
  })
  expect((await twin.put({ properties: 4, d: 5 })).body).toMatchObject({ properties: 4, d: 5 })
  for (const componentId of [1, {}, 'a'.repeat(129)])
    expect((await twin.put({ componentId, a: 1 })).body).toMatchObject({ error: 'validation_error' })
})

test("a component is an object under its name, in the client's one state and version", async () => {
  const twin = await newTwin('components')
  const session = twin.session(twin.topic)
  const answer = await twin.put({ componentId: 'motor', speed: 5, led: { on: true, color: 'red' } })
  expect(answer.body).toEqual({ speed: 5, led: { on: true, color: 'red' }, $version: 1 })
  await twin.put({ componentId: 'motor', speed: null, led: { on: null } })
  expect(await twin.get('?componentId=motor')).toEqual({ led: { color: 'red' }, $version: 2 })
  const whole = { motor: { led: { color: 'red' } }, $version: 2 }
  expect(await twin.get()).toEqual(whole)
  expect(session.sent.at(-1)).toEqual({ topic: twin.topic, payload: whole })
  await twin.put({ motor: null })
  expect(await twin.get('?componentId=motor')).toEqual({ $version: 3 })
})

test('a component is refused if the client has a value with that name, which does not change', async () => {
  const twin = await newTwin('no-component')
  await twin.put({ motor: 5 })
  expect(await twin.get('?componentId=motor')).toEqual({ $version: 1 })
  expect(await twin.put({ componentId: 'motor', speed: 5 })).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: expect.stringContaining('motor'), details: { componentId: 'motor' } },
  })
  expect(await twin.get()).toEqual({ motor: 5, $version: 1 })
  await twin.put({ motor: null })
  expect((await twin.put({ componentId: 'motor', speed: 5 })).body).toEqual({ speed: 5, $version: 3 })
})

test.each(['$version', 'a\u0000', '\ud800'])('refuses the component %j', async (componentId) => {
  const twin = await newTwin('bad-component')
  expect(await twin.put({ componentId, properties: { a: 1 } })).toMatchObject({
    status: 400,
    body: { error: 'validation_error' },
  })
  expect(await twin.get()).toEqual({ $version: 0 })
})

test('the full state goes to every session that has subscribed to it [docs/twins#desired-properties]', async () => {
  const twin = await newTwin('sent')
  const sessions = [twin.session(twin.topic), twin.session(twin.topic)]
  const deaf = twin.session()
  await twin.put({ a: 1 })
  await twin.put({ b: 2 })
  for (const { sent } of sessions)
    expect(sent).toEqual([
      { topic: twin.topic, payload: { a: 1, $version: 1 } },
      { topic: twin.topic, payload: { a: 1, b: 2, $version: 2 } },
    ])
  expect(deaf.sent).toEqual([])
})

test('concurrent changes are all merged, each with its own version, and the last state sent is complete', async () => {
  const twin = await newTwin('raced')
  const session = twin.session(twin.topic)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => twin.put({ [`key-${index}`]: index })),
  )
  const versions = answers.map(({ body }) => body.$version as number)
  expect(versions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const final = await twin.get()
  expect(Object.keys(final)).toHaveLength(11)
  const newest = session.sent.find(({ payload }) => (payload as { $version: number }).$version === 10)
  expect(newest?.payload).toEqual(final)
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test.each([
  ['text', '"text"'],
  ['an array', '[1]'],
  ['null', 'null'],
  ['__proto__', '{"__proto__": {"admin": true}}'],
  ['a reserved name', '{"$version": 7}'],
  ['a reserved name further in', '{"a": [{"$b": 1}]}'],
  ['NUL in a value', '{"a": "x\\u0000"}'],
  ['NUL in a name', '{"a\\u0000": 1}'],
  ['a lone surrogate', '{"a": ["\\ud800"]}'],
  ['an invalid number', '{"a": 1e999}'],
  ['70 levels', deep(70)],
  ['100,000 levels', deep(100_000)],
])('refuses %s and changes nothing', async (what, body) => {
  const twin = await newTwin(`bad-${what.replaceAll(/\W/g, '-')}`)
  await twin.put({ kept: true })
  const url = `${clients}/bad-${what.replaceAll(/\W/g, '-')}/properties/desired`
  const answer = await platform.request('PUT', url, body, {
    token: platform.adminToken,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.body).toMatchObject({ error: 'validation_error' })
  expect(answer.status).toBe(400)
  expect(await twin.get()).toEqual({ kept: true, $version: 1 })
})

test('the limit of 128 KiB applies to the whole state, not to each change', async () => {
  const twin = await newTwin('large')
  const half = 'x'.repeat(MAX_DESIRED_BYTES / 2)
  expect((await twin.put({ one: half })).status).toBe(200)
  const answer = await twin.put({ two: half })
  expect(answer).toMatchObject({
    status: 413,
    body: { error: 'payload_too_large', details: { maxBytes: MAX_DESIRED_BYTES } },
  })
  expect((await twin.put({ one: 'ü'.repeat(MAX_DESIRED_BYTES / 2) })).status).toBe(413)
  expect((await twin.put({ one: null, two: half })).body.$version).toBe(2)
  expect((await twin.put({ a: 'x'.repeat(1_100_000) })).status).toBe(413)
})

test('the gateway reads the states of many clients at once, in their order', async () => {
  const [first, second] = [await newTwin('gateway-1'), await newTwin('gateway-2')]
  await second.put({ a: 1 })
  const numbers = [await second.number(), await first.number(), await second.number()]
  const state = { a: 1, $version: 1 }
  expect(await listDesired(platform.ctx.db, numbers)).toEqual([state, { $version: 0 }, state])
  expect(await getDesired(platform.ctx.db, numbers[0]!)).toEqual(state)
})

test('reported properties have a version that counts the reports [docs/twins#reported-properties]', async () => {
  const twin = await newTwin('reported')
  const reported = async () => (await platform.get(`${clients}/reported/properties/reported`)).body
  expect(await reported()).toEqual({ $version: 0 })
  await platform.ctx.db
    .insertInto('client_twins')
    .values({ client_number: await twin.number(), reported: '{"fw": "1.2"}', reported_version: 3 })
    .execute()
  expect(await reported()).toEqual({ fw: '1.2', $version: 3 })
  // Desired and reported properties do not affect each other.
  await twin.put({ a: 1 })
  expect(await reported()).toEqual({ fw: '1.2', $version: 3 })
})

test('a twin is deleted with its client', async () => {
  const twin = await newTwin('gone')
  await twin.put({ secret: 1 })
  await platform.delete(`${clients}/gone`)
  expect((await twin.put({ a: 1 })).status).toBe(404)
  await newTwin('gone')
  expect(await twin.get()).toEqual({ $version: 0 })
})

test('the audit log has each change [docs/api#audit]', async () => {
  const twin = await newTwin('audited')
  await twin.put({ a: 1 })
  const { body } = await platform.get('/v1/audit-log?resourceType=provider_client&resourceId=audited')
  expect(body[0]).toMatchObject({
    action: 'set-desired',
    after: { patch: { a: 1 }, $version: 1, componentId: '' },
  })
})
