/** What a node receives by NATS of the samples that another one stores. */
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NatsServer, skipWithoutNats, startNats } from '../../../test/harness/nats-server.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  type RealtimeClient,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import type { Context } from '../../context.ts'
import { createNodes } from '../../nodes/nodes.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { createPush } from '../push.ts'
import { startPush } from '../start.ts'
import { findBucket } from './interest.ts'

const skip = skipWithoutNats('samples that a node receives of others')
const GAUGES = ['gauge-a', 'gauge-b', 'gauge-c', 'gauge-d']

let server: NatsServer
let platform: Platform
let elsewhere: Context
let there: AsyncDisposable
let listener: NatsConnection
/** The samples that came to the node of the platform by NATS. */
let heard: StoredSample[]
let client: RealtimeClient
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  if (skip) return
  server = await startNats()
  platform = await startPlatform({ GANGWAY_NATS_URL: server.url })
  elsewhere = { ...platform.ctx, nodes: createNodes({ ...platform.ctx, id: 'another' }) }
  elsewhere.push = createPush(elsewhere)
  there = await startPush(elsewhere)
  sample = await sampleMaker(platform)
  for (const id of GAUGES) await makeClient(platform, id)
  client = await connectRealtime(platform)
  listener = await connect({ servers: server.url })
  listener.subscribe(`gangway.*.push.node.${platform.ctx.nodes.id}.samples`, {
    callback: (_error, message) => void heard.push(...message.json<StoredSample[]>()),
  })
  await listener.flush()
})
afterAll(async () => {
  if (skip) return
  await listener.close()
  await there[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const url = '/v1/realtime/subscriptions'
async function subscribe(assets: string[], topic = 'telemetry') {
  const body = { connectionId: client.connectionId, topic, assets }
  const { id } = (await platform.post(url, body)).body
  await expect.poll(() => platform.ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
  return id as string
}
const unsubscribe = (id: string) => platform.delete(`${url}/${id}`)

test.skipIf(skip)('a node receives samples of what it watches, and not the whole tenant', async () => {
  const id = await subscribe([GAUGES[0]!])
  heard = []
  const others = Array.from({ length: 20_000 }, (_, index) => `device-${index}`)
  const wanted = [...others, GAUGES[0]!].filter((one) => findBucket(one) === findBucket(GAUGES[0]!))
  expect(wanted.length).toBeLessThan(20)
  elsewhere.push.publishSamples([
    ...others.map((one, index) => sample(one, index)),
    sample(GAUGES[0]!, 0, { tenantId: 'another' }),
    sample(GAUGES[0]!, 'last'),
  ])
  expect((await client.take(1)).map(({ value }) => value)).toEqual(['last'])
  await expect.poll(() => heard.map(({ ownerId }) => ownerId)).toEqual(wanted)
  expect(heard.every(({ tenantId }) => tenantId === 'default')).toBe(true)
  await unsubscribe(id)
})

test.skipIf(skip)('each subscriber gets what is published from its beginning on', async () => {
  let value = 0
  // More than a few would make a client on a busy machine too slow, which closes its connection.
  const open: string[] = []
  const publishing = setInterval(
    () => elsewhere.push.publishSamples(GAUGES.map((id) => sample(id, value++))),
    10,
  )
  try {
    for (let round = 0; round < rounds(60, 12); round++) {
      const gauge = GAUGES[(round * 7) % GAUGES.length]!
      const id = await subscribe([gauge])
      const first = value++
      client.messages.length = 0
      elsewhere.push.publishSamples([sample(gauge, `first ${first}`)])
      await expect.poll(() => client.messages.map(({ data }) => data?.value)).toContain(`first ${first}`)
      open.push(id)
      if (open.length > 3) await unsubscribe(round % 2 > 0 ? open.shift()! : open.pop()!)
    }
  } finally {
    clearInterval(publishing)
  }
})

test.skipIf(skip)('who watches only alarms causes no samples to be sent', async () => {
  client = await connectRealtime(platform)
  for (const id of platform.ctx.push.subscriptions.keys()) await unsubscribe(id)
  await expect.poll(() => elsewhere.push.isWatched('default')).toBe(false)
  await subscribe([GAUGES[1]!], 'alarm')
  expect(elsewhere.push.isWatched('default')).toBe(false)
  await subscribe([GAUGES[1]!])
  expect(elsewhere.push.isWatched('default')).toBe(true)
})
