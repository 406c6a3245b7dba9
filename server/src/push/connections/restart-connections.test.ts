/** A node that was cut off from the others does not know what its subscribers have missed. [docs/push#several-servers] */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bring, makeAlarm } from '../../../test/harness/alarm-walk.ts'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type OtherProcess, otherProcess } from '../../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { connectRealtime } from '../../../test/harness/realtime.ts'
import { settled } from '../../alarms/watch/reevaluate.ts'
import { endConnectionsOfNode } from '../../nodes/node-lock.ts'
import { joinNodes } from '../../nodes/nodes.ts'

let platform: Platform
let other: OtherProcess
let joined: AsyncDisposable[]
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeAlarm(platform)
  const { ctx } = platform
  other = otherProcess(ctx)
  joined = await Promise.all([joinNodes(ctx.nodes), joinNodes(other.nodes)])
  await vi.waitFor(() => expect([ctx, other].map(({ nodes }) => nodes.peers.exist)).toEqual([true, true]))
})
afterAll(async () => {
  for (const one of joined) await one[Symbol.asyncDispose]()
  await Promise.all([settled(platform.ctx.alarms), settled(other.alarms)])
  await platform[Symbol.asyncDispose]()
})

async function watchAlarms(assetId: string) {
  const client = await connectRealtime(platform)
  const body = { connectionId: client.connectionId, topic: 'alarm', assets: [assetId] }
  const { id } = (await platform.post('/v1/realtime/subscriptions', body)).body
  await expect.poll(() => platform.ctx.push.subscriptions.get(id)?.start?.pending).toBeUndefined()
  return client
}

async function cutOff() {
  const { nodes, pool } = platform.ctx
  const client = new pg.Client(pool.options)
  await client.connect()
  await endConnectionsOfNode(client, nodes.id)
  await client.end()
}

test('after a break subscribers begin again, and do not see as active what another node has cleared', async () => {
  await insertAsset(platform, 'away')
  await bring(platform.ctx, [{ assetId: 'away', value: 90 }])
  const before = await watchAlarms('away')
  const [{ status }] = await before.take(1)
  expect(status.state).toBe('active_unacknowledged')
  await cutOff()
  await bring(other, [{ assetId: 'away', value: 70 }])
  expect((await before.closed).code).toBe(1008)
  const after = await watchAlarms('away')
  const [{ status: now }] = await after.take(1)
  expect(now.state).toBe('inactive_unacknowledged')
})

test('where the last values cannot be read, the client opens a new connection', async () => {
  await insertAsset(platform, 'unread')
  const { push } = platform.ctx
  const spy = vi.spyOn(push, 'readInTurn').mockRejectedValueOnce(new Error('the database is away'))
  const client = await connectRealtime(platform)
  const body = { connectionId: client.connectionId, topic: 'alarm', assets: ['unread'] }
  expect((await platform.post('/v1/realtime/subscriptions', body)).status).toBe(201)
  expect((await client.closed).code).toBe(1008)
  spy.mockRestore()
})
