import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NatsServer, skipWithoutNats, startNats } from '../../../test/harness/nats-server.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  type RealtimeClient,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import type { Context } from '../../context.ts'
import { startSilentProxy, type SilentProxy } from '../../../test/harness/silent-proxy.ts'
import { parseNatsUrl } from '../../lib/nats-url.ts'
import { createNodes } from '../../nodes/nodes.ts'
import { createPush } from '../push.ts'
import { startPush } from '../start.ts'

const skip = skipWithoutNats('push between nodes')

let server: NatsServer
let platform: Platform
/** Another node on the same database, as seen by push. */
let elsewhere: Context
let there: AsyncDisposable
/** Its way to NATS. */
let way: SilentProxy
let client: RealtimeClient
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  platform = await startPlatform({ GANGWAY_NATS_URL: server.url })
  way = await startSilentProxy(server.url)
  const config = { ...platform.ctx.config, natsUrl: parseNatsUrl(way.url) }
  elsewhere = { ...platform.ctx, config, nodes: createNodes({ ...platform.ctx, id: 'another' }) }
  platform.ctx.nodes.peers.exist = true
  elsewhere.push = createPush(elsewhere)
  there = await startPush(elsewhere)
  sample = await sampleMaker(platform)
  await makeClient(platform, 'gauge')
  client = await connectRealtime(platform)
})
afterAll(async () => {
  if (skip) return
  await there[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  await way[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const subscribe = async () => {
  const body = { connectionId: client.connectionId, topic: 'telemetry', assets: ['gauge'] }
  const { id } = (await platform.post('/v1/realtime/subscriptions', body)).body
  await expect.poll(() => platform.ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
  return id as string
}

test.skipIf(skip)('samples of another node are pushed here, once and in order', async () => {
  const id = await subscribe()
  const many = Array.from({ length: 1200 }, (_, index) => sample('gauge', index))
  elsewhere.push.publishSamples([...many, sample('gauge', 0, { tenantId: 'another' })])
  expect((await client.take(1200)).map(({ value }) => value)).toEqual([...many.keys()])
  platform.ctx.push.publishSamples([sample('gauge', 'here')])
  expect((await client.take(1))[0]).toMatchObject({ subscriptionId: id, value: 'here' })
  expect(client.messages).toEqual([])
  await platform.delete(`/v1/realtime/subscriptions/${id}`)
})

test.skipIf(skip)('values that are too large for one message together are pushed too', async () => {
  await subscribe()
  const large = Array.from({ length: 4 }, (_, index) => sample('gauge', `${index}`.repeat(400_000)))
  const tooLarge = sample('gauge', 'x'.repeat(1_100_000))
  elsewhere.push.publishSamples([...large, tooLarge, sample('gauge', 'last')])
  const came = await client.take(5)
  expect(came.map(({ value }) => value[0])).toEqual(['0', '1', '2', '3', 'l'])
})

test.skipIf(skip)(
  'a node that leaves is not waited for, and one that joins learns the watched tenants',
  async () => {
    await there[Symbol.asyncDispose]()
    there = await startPush(elsewhere)
    await expect
      .poll(() => {
        elsewhere.push.publishSamples([sample('gauge', 'again')])
        return client.messages.length
      })
      .toBeGreaterThan(0)
  },
)

test.skipIf(skip)(
  'where samples were lost since a node was without NATS, the subscribers of the others begin again',
  async () => {
    way.refuseAll().back()
    expect((await client.closed).code).toBe(1008)
  },
)

test.skipIf(skip)('after this node was without NATS, its subscribers begin again', async () => {
  client = await connectRealtime(platform)
  await server.kill()
  await server.start()
  expect((await client.closed).code).toBe(1008)
})
