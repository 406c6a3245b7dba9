import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  openRealtime,
  negotiate,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import { parseNatsUrl } from '../../lib/nats-url.ts'
import { expireSubscriptions } from './end-subscription.ts'
import { startPush } from '../start.ts'
import { putSubscription } from './subscription.ts'

let platform: Platform
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  platform = await startPlatform()
  sample = await sampleMaker(platform)
  await makeClient(platform, 'gauge')
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/realtime/subscriptions'
const subscribe = async (connectionId: string) =>
  (await platform.post(url, { connectionId, topic: 'telemetry', assets: ['gauge'] })).body

/** Simulates that this time has passed since it was added or updated. */
const age = (id: string, ms: number) => (platform.ctx.push.subscriptions.get(id)!.startedAtMs -= ms)

test('a subscription ends 600 seconds after it was added or updated [docs/push#subscriptions]', async () => {
  const { push } = platform.ctx
  const client = await connectRealtime(platform)
  const [renewed, forgotten] = [await subscribe(client.connectionId), await subscribe(client.connectionId)]
  for (const { id } of [renewed, forgotten]) age(id, 590_000)
  expireSubscriptions(push)
  expect(push.subscriptions.size).toBe(2)
  const { body } = await platform.put(`${url}/${renewed.id}`, {})
  expect(Date.parse(body.startTimestamp)).toBeGreaterThan(Date.now() - 10_000)
  age(forgotten.id, 10_001)
  // The server checks every second.
  expect((await client.next()).data).toEqual({
    topic: 'subscription',
    subscriptionId: forgotten.id,
    event: 'expired',
  })
  expect((await platform.get(url)).body).toEqual([body])
  push.publishSamples([sample('gauge', 1)])
  expect((await client.next()).data).toMatchObject({ subscriptionId: renewed.id, value: 1 })
  client.socket.close()
  await expect.poll(() => push.watchers.size).toBe(0)
})

test('10,000 subscriptions are handled [docs/push#limits]', async () => {
  const { push } = platform.ctx
  const clients = await Promise.all(Array.from({ length: 10 }, () => connectRealtime(platform)))
  const owners = [{ ownerType: 'client', ownerId: 'gauge' } as const]
  for (const { connectionId } of clients) {
    await Promise.all(Array.from({ length: 20 }, () => subscribe(connectionId)))
    // The others are added without HTTP, which would take most of the time.
    const body = { connectionId, topic: 'telemetry' as const, assets: ['gauge'] }
    for (let made = 20; made < 1000; made++)
      putSubscription(push, { connection: push.connections.get(connectionId)!, body, owners })
  }
  expect(push.subscriptions.size).toBe(10_000)
  expect(await subscribe(clients[0]!.connectionId)).toMatchObject({ error: 'conflict' })
  await expect.poll(() => [...push.subscriptions.values()].some(({ start }) => start?.pending)).toBe(false)
  push.publishSamples([sample('gauge', 1)])
  for (const client of clients) expect(await client.take(1000)).toHaveLength(1000)
  for (const client of clients) client.socket.close()
  await expect.poll(() => push.connections.size).toBe(0)
  expect([push.subscriptions.size, push.watchers.size, push.connectionsByUser.size]).toEqual([0, 0, 0])
})

test('one asset with a thousand subscriptions, and one subscription of a thousand assets, are handled', async () => {
  const ids = Array.from({ length: 999 }, (_, index) => `many-${index}`)
  await platform.ctx.pool.query(
    `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
     select 'default', 'mqtt', id, $1, id, false from unnest($2::text[]) id`,
    [platform.organizationId, ids],
  )
  await platform.ctx.pool.query(
    `insert into relations (tenant_id, subject_type, subject_id, resource_type, resource_id, relation)
     select 'default', 'organization', $1, 'provider_client', id, 'parent' from unnest($2::text[]) id`,
    [platform.organizationId, ids],
  )
  const client = await connectRealtime(platform)
  const body = { connectionId: client.connectionId, topic: 'telemetry', assets: [...ids, 'gauge'] }
  const { status } = await platform.post(url, body)
  expect(status).toBe(201)
  platform.ctx.push.publishSamples(ids.map((id, index) => sample(id, index)))
  expect((await client.take(999)).map(({ value }) => value)).toEqual([...ids.keys()])
  client.socket.close()
})

test('a permission that is revoked while the subscription is added ends it', async () => {
  const { push } = platform.ctx
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer provider_client:gauge`)
  const client = await connectRealtime(platform, undefined, { token })
  const body = { connectionId: client.connectionId, topic: 'telemetry', assets: ['gauge'] }
  const { decisions } = platform.ctx
  platform.ctx.decisions = {
    ...decisions,
    // After the permission was granted, the tuple is deleted and its message arrives, before the handler continues.
    check: async (question) => {
      const isAllowed = await decisions.check(question)
      await platform.ctx.db.deleteFrom('relations').where('subject_id', '=', id).execute()
      push.revalidation.request('tenant default')
      return isAllowed
    },
  }
  const answer = await platform.post(url, body, { token })
  platform.ctx.decisions = decisions
  expect(answer.status).toBe(201)
  expect((await client.next()).data).toMatchObject({ event: 'ended', subscriptionId: answer.body.id })
  client.socket.close()
})

test('a server that stops announces it, and refuses new connections', async () => {
  const other = await startPlatform()
  const client = await connectRealtime(other)
  const { url: at, accessToken } = await negotiate(other)
  const stopping = other[Symbol.asyncDispose]()
  expect((await client.closed).code).toBe(1001)
  await stopping
  await expect(openRealtime(`${at}?access_token=${accessToken}`)).rejects.toThrow()
})

test('pushing never throws, and reads no values without subscriptions', async () => {
  const { push } = platform.ctx
  let lookedAt = 0
  const samples = Array.from({ length: 100 }, (_, index) => ({
    ...sample('gauge', 0),
    get value() {
      lookedAt++
      return index
    },
  }))
  push.publishSamples(samples)
  expect(lookedAt).toBe(0)
  const client = await connectRealtime(platform)
  await subscribe(client.connectionId)
  expect(() => push.publishSamples([sample('gauge', 1n)])).not.toThrow()
  push.publishSamples([sample('gauge', 2)])
  expect((await client.take(1))[0]).toMatchObject({ value: 2 })
  client.socket.close()
})

test('GANGWAY_PUBLIC_URL is the address for clients', async () => {
  await using behind = await startPlatform({ GANGWAY_PUBLIC_URL: 'https://iot.example.com/' })
  expect((await negotiate(behind)).url).toBe('wss://iot.example.com/v1/realtime/client/hubs/gangway')
})

test('an unreachable NATS server is reported at the start', async () => {
  const config = { ...platform.ctx.config, natsUrl: parseNatsUrl('nats://127.0.0.1:1') }
  await expect(startPush({ ...platform.ctx, config })).rejects.toThrow()
})

test('a connection ends when its API token expires, without waiting for a review', async () => {
  const { push } = platform.ctx
  const expiresAt = new Date(Date.now() + 5000)
  const token = { displayName: 'short', expiresAt: expiresAt.toISOString() }
  const { body } = await platform.post('/v1/api-tokens', token)
  const { request } = push.revalidation
  push.revalidation.request = () => {}
  onTestFinished(() => void (push.revalidation.request = request))
  const client = await connectRealtime(platform, undefined, { token: body.token })
  const lasting = await connectRealtime(platform)
  const { code, reason } = await client.closed
  expect({ code, reason }).toEqual({ code: 1008, reason: 'The token of this connection has expired.' })
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime())
  expect(push.connections.has(client.connectionId)).toBe(false)
  expect(push.connections.has(lasting.connectionId)).toBe(true)
  lasting.socket.close()
})

test('a broken connection does not come back after its token has expired', async () => {
  const { push } = platform.ctx
  const client = await connectRealtime(platform)
  const connection = push.connections.get(client.connectionId)!
  client.socket.terminate()
  await client.closed
  connection.credentials.expiresAt = new Date(Date.now() - 1)
  const { url: base } = await negotiate(platform)
  const back = `${base}?awps_connection_id=${client.connectionId}&awps_reconnection_token=${client.reconnectionToken}`
  await expect(openRealtime(back)).rejects.toThrow('1008')
})
