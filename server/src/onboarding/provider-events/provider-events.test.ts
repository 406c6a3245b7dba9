import { createHmac } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { makeGroup, type TestGroup, webhookSecret } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { newId } from '../../lib/ids.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

const sign = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex')

interface Sending {
  secret?: string
  signature?: string
  targetId?: string
}

function send(event: unknown, { secret = webhookSecret, signature, targetId }: Sending = {}) {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-webhook-signature': signature ?? sign(body, secret),
  }
  if (targetId !== undefined) headers['x-routing-target-id'] = targetId
  return platform.post('/api/webhooks/provider-events', body, { token: null, headers })
}

const deleted = (device_id: string, fields = {}) => ({
  id: newId(),
  event: 'device.deleted',
  device_id,
  occurred_at: new Date().toISOString(),
  ...fields,
})

const statusIn = async (group: TestGroup, id: string) => (await group.record(id))?.status

test('[docs/onboarding#provider-events] device.deleted soft-deletes a registered or provisioned device, which gets no more settings', async () => {
  const group = await makeGroup(platform)
  const { targetId } = group
  for (const id of ['registered', 'provisioned']) await group.add(id)
  await group.provision('provisioned')
  for (const id of ['registered', 'provisioned'])
    expect(await send(deleted(id), { targetId })).toMatchObject({ status: 200, body: { outcome: 'deleted' } })
  expect(await statusIn(group, 'registered')).toBe('deleted')
  expect(await statusIn(group, 'provisioned')).toBe('deleted')
  expect((await group.settings('provisioned')).status).toBe(401)
  expect((await group.provision('provisioned')).body.error).toBe('device_not_registered')
  const { body: entries } = await platform.get('/v1/audit-log?resourceId=provisioned')
  expect(entries[0]).toMatchObject({ action: 'delete', actorType: 'system', after: { status: 'deleted' } })
})

test('CloudEvents 1.0 in structured mode are accepted', async () => {
  const group = await makeGroup(platform)
  await group.add('cloudy')
  const event = {
    specversion: '1.0',
    id: newId(),
    source: '/provider',
    type: 'device.deleted',
    subject: 'cloudy',
  }
  const body = JSON.stringify({ ...event, time: new Date().toISOString() })
  const answer = await platform.post('/api/webhooks/provider-events', body, {
    token: null,
    headers: {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'x-webhook-signature': sign(body, webhookSecret),
      'x-routing-target-id': group.targetId,
    },
  })
  expect(answer).toMatchObject({ status: 200, body: { outcome: 'deleted' } })
  expect(await statusIn(group, 'cloudy')).toBe('deleted')

  // An event without a time is taken to have happened now.
  await group.add('cloudy')
  const { targetId } = group
  expect(await send({ ...event, id: newId() }, { targetId })).toMatchObject({ body: { outcome: 'deleted' } })
})

test('a signature that is missing, malformed, over other bytes or with another secret is unauthorized and has no effect', async () => {
  const group = await makeGroup(platform)
  const { targetId } = group
  await group.add('safe')
  const event = deleted('safe')
  const good = sign(JSON.stringify(event), webhookSecret)
  const refused = [
    await send(event, { targetId, signature: '' }),
    await send(event, { targetId, signature: 'xyz' }),
    await send(event, { targetId, signature: good.slice(0, 62) }),
    await send(event, { targetId, signature: `${good}00` }),
    await send(event, { targetId, secret: 'another secret' }),
    await send(JSON.stringify(event, undefined, 1), { targetId, signature: good }),
    await send(`${JSON.stringify(event)} `, { targetId, signature: good }),
    await send(event, { targetId: 'no-uuid' }),
    await send(event, { targetId: newId() }),
    await send('not JSON', { targetId, secret: 'another secret' }),
  ]
  for (const answer of refused) expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  expect(await statusIn(group, 'safe')).toBe('registered')
  expect((await send(event, { targetId, signature: good.toUpperCase() })).status).toBe(200)
})

test('without X-Routing-Target-Id the signature identifies the target, and only its groups are affected', async () => {
  const [mine, other] = [
    await makeGroup(platform, { target: { webhook_secret: 'secret of mine' } }),
    await makeGroup(platform, { target: { webhook_secret: 'secret of another' } }),
  ]
  for (const group of [mine, other]) await group.add('in-both')
  expect(await send(deleted('in-both'), { secret: 'secret of mine' })).toMatchObject({
    body: { outcome: 'deleted' },
  })
  expect(await statusIn(mine, 'in-both')).toBe('deleted')
  expect(await statusIn(other, 'in-both')).toBe('registered')
  // Signed with this target's secret, but sent with the id of the other target.
  const stolen = await send(deleted('in-both'), { secret: 'secret of mine', targetId: other.targetId })
  expect(stolen.status).toBe(401)
})

test("an event of one tenant's target does nothing to another tenant's device", async () => {
  const { token } = await platform.makeTenant('bystander')
  const theirs = await makeGroup(platform, { token, target: { webhook_secret: 'theirs' } })
  const ours = await makeGroup(platform, { target: { webhook_secret: 'ours' } })
  await theirs.add('namesake')
  expect(await send(deleted('namesake'), { targetId: ours.targetId, secret: 'ours' })).toMatchObject({
    status: 200,
    body: { outcome: 'nothing_to_do' },
  })
  expect(await statusIn(theirs, 'namesake')).toBe('registered')
})

test('an event with a repeated id is answered 200 and applied once, also when sent concurrently', async () => {
  const group = await makeGroup(platform)
  await group.add('repeated')
  const event = deleted('repeated', { occurred_at: undefined })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => send(event, { targetId: group.targetId })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(answers.map(({ body }) => body.outcome).toSorted()).toEqual([
    'deleted',
    ...Array(5).fill('repeated'),
  ])
  await group.add('repeated')
  expect((await send(event, { targetId: group.targetId })).body.outcome).toBe('repeated')
  expect(await statusIn(group, 'repeated')).toBe('registered')
})

test('[docs/onboarding#provider-events] an event from before the present registration has no effect; one from after it has', async () => {
  const group = await makeGroup(platform)
  const { targetId } = group
  await group.add('came-back')
  const old = deleted('came-back')
  await send(old, { targetId })
  expect((await group.add('came-back')).status).toBe(201)
  const before = new Date(
    Date.parse((await group.record('came-back'))!.created_at as string) - 1,
  ).toISOString()
  expect((await send({ ...old, id: newId(), occurred_at: before }, { targetId })).body.outcome).toBe(
    'nothing_to_do',
  )
  expect(await statusIn(group, 'came-back')).toBe('registered')
  // The time of the first deletion, which is after the first registration.
  expect((await send({ ...old, id: newId() }, { targetId })).body.outcome).toBe('nothing_to_do')
  expect(await statusIn(group, 'came-back')).toBe('registered')
  const { created_at } = (await group.record('came-back'))!
  expect((await send(deleted('came-back', { occurred_at: created_at }), { targetId })).body.outcome).toBe(
    'deleted',
  )
})

test('a replay has no effect on a device that was added again, however old its group is', async () => {
  const group = await makeGroup(platform)
  await group.add('older')
  const { created_at: occurred_at } = (await group.record('older'))!
  await group.add('came-back-later')
  const replayed = await send(deleted('came-back-later', { occurred_at }), { targetId: group.targetId })
  expect(replayed.body.outcome).toBe('nothing_to_do')
  expect(await statusIn(group, 'came-back-later')).toBe('registered')
})

test('an unknown event is accepted and has no effect', async () => {
  const { targetId } = await makeGroup(platform)
  expect(await send({ event: 'device.renamed' }, { targetId })).toMatchObject({ status: 202 })
  expect(await send({ specversion: '1.0', id: '1', source: 's', type: 'x' }, { targetId })).toMatchObject({
    status: 202,
  })
})

test.each([
  ['no JSON', 'not JSON'],
  ['nothing', ''],
  ['null', 'null'],
  ['an array', '[]'],
  ['JSON too deep', '['.repeat(5000) + ']'.repeat(5000)],
  ['no event', { id: '1', device_id: 'a' }],
  ['no id', deleted('a', { id: undefined })],
  ['an id that is a number', deleted('a', { id: 1 })],
  ['no device', deleted('a', { device_id: undefined })],
  ['an invalid device id', deleted('a/b')],
  ['an invalid time', deleted('a', { occurred_at: 'yesterday' })],
  ['a time that no calendar has', deleted('a', { occurred_at: '2026-13-45T00:00:00Z' })],
  ['a CloudEvent of another version', { specversion: '0.3', id: '1', type: 'device.deleted', subject: 'a' }],
])('%s with a good signature is a validation_error', async (_what, event) => {
  const { targetId } = await makeGroup(platform)
  expect(await send(event, { targetId })).toMatchObject({ status: 400, body: { error: 'validation_error' } })
})

test('an event is at most 64 KiB', async () => {
  const { targetId } = await makeGroup(platform)
  const event = { event: 'x', pad: 'x'.repeat(65 * 1024) }
  expect(await send(event, { targetId })).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
})

test('wrong signatures without a target are rate-limited; events that name their target pass', async () => {
  const group = await makeGroup(platform)
  await group.add('still-heard')
  const statuses = []
  for (let n = 0; n < 31; n++) statuses.push((await send(deleted('x'), { secret: 'guess' })).status)
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
  expect(statuses[30]).toBe(429)
  expect((await send(deleted('still-heard'), { targetId: group.targetId })).body.outcome).toBe('deleted')
})
