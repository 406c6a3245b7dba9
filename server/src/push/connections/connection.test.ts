import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import {
  WebPubSubClient,
  WebPubSubJsonProtocol,
  WebPubSubJsonReliableProtocol,
} from '@azure/web-pubsub-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import {
  connectRealtime,
  makeClient,
  negotiate,
  openRealtime,
  refusedRealtime,
  RELIABLE,
  sampleMaker,
} from '../../../test/harness/realtime.ts'
import { makeUser } from '../../../test/harness/users.ts'

let platform: Platform
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  platform = await startPlatform()
  sample = await sampleMaker(platform)
  await makeClient(platform, 'gauge')
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/realtime/subscriptions'
async function watch(connectionId: string) {
  const { status, body } = await platform.post(url, { connectionId, topic: 'telemetry', assets: ['gauge'] })
  expect(status).toBe(201)
  const { subscriptions } = platform.ctx.push
  await expect.poll(() => subscriptions.get(body.id)?.start?.pending).toBeUndefined()
  return body.id as string
}
const push = (...values: unknown[]) =>
  platform.ctx.push.publishSamples(values.map((value) => sample('gauge', value)))
const findConnection = (id: string) => platform.ctx.push.connections.get(id)

/** The public client, used as in its documentation. */
async function publicClient(options?: ConstructorParameters<typeof WebPubSubClient>[1]) {
  const getClientAccessUrl = async () => {
    const { url: at, accessToken } = await negotiate(platform)
    return `${at}?access_token=${accessToken}`
  }
  const client = new WebPubSubClient({ getClientAccessUrl }, options)
  const values: unknown[] = []
  const connected: string[] = []
  client.on('server-message', ({ message }) => values.push((message.data as { value: unknown }).value))
  client.on('connected', ({ connectionId }) => connected.push(connectionId))
  await client.start()
  await expect.poll(() => connected).toHaveLength(1)
  const stop = async () => {
    const stopped = new Promise<void>((resolve) => client.on('stopped', () => resolve()))
    client.on('disconnected', () => client.stop())
    client.stop()
    await stopped
  }
  return { client, values, connected, stop }
}
/** Its socket, which only a test would cut. */
const clientSocket = (client: WebPubSubClient) =>
  (client as unknown as { _wsClient: { _socket: { terminate(): void } } })._wsClient._socket

test.each([WebPubSubJsonReliableProtocol(), WebPubSubJsonProtocol()])(
  'the public client connects, receives its subscriptions, and an error if it sends: $name',
  async (protocol) => {
    const { client, values, connected, stop } = await publicClient({
      protocol,
      messageRetryOptions: { maxRetries: 0 },
    })
    await watch(connected[0]!)
    push(1, 'two', { three: 3 })
    await expect.poll(() => values).toEqual([1, 'two', { three: 3 }])
    for (const request of [
      client.joinGroup('g'),
      client.sendToGroup('g', 'x', 'text'),
      client.sendEvent('e', 'x', 'text'),
    ])
      await expect(request).rejects.toMatchObject({ errorDetail: { name: 'Forbidden' } })
    await stop()
    await expect.poll(() => findConnection(connected[0]!)).toBeUndefined()
  },
)

test('after a short break the public client continues without loss or duplicates', async () => {
  const { client, values, connected, stop } = await publicClient()
  await watch(connected[0]!)
  push(1, 2)
  await expect.poll(() => values).toHaveLength(2)
  clientSocket(client).terminate()
  push(3, 4)
  await expect.poll(() => values).toEqual([1, 2, 3, 4])
  push(5)
  await expect.poll(() => values).toEqual([1, 2, 3, 4, 5])
  expect(connected).toHaveLength(1)
  // It acknowledges every second, so that no messages are kept for it.
  await expect.poll(() => findConnection(connected[0]!)?.unacked).toEqual([])
  await stop()
})

test('if a connection cannot be resumed, the public client opens a new one', async () => {
  const { client, connected, stop } = await publicClient()
  // The server does not know the connection, whichever side notices the break first.
  findConnection(connected[0]!)!.reconnectionToken = 'another'
  clientSocket(client).terminate()
  await expect.poll(() => connected).toHaveLength(2)
  expect(connected[1]).not.toBe(connected[0])
  await stop()
})

test('a connection that missed more than the limit cannot be resumed', async () => {
  const client = await connectRealtime(platform)
  await watch(client.connectionId)
  client.socket.terminate()
  await expect.poll(() => findConnection(client.connectionId)?.socket).toBeUndefined()
  const large = 'x'.repeat(1_000_000)
  for (let mebibytes = 0; mebibytes < 9; mebibytes++) push(large)
  expect(findConnection(client.connectionId)).toBeUndefined()
  expect(platform.ctx.push.watchers.size).toBe(0)
})

test('a connection is resumed only by its own token, even while the server considers it open', async () => {
  const { url: at, accessToken } = await negotiate(platform)
  const first = await openRealtime(`${at}?access_token=${accessToken}`)
  await watch(first.connectionId)
  push(1, 2, 3)
  await first.take(3)
  first.socket.send(JSON.stringify({ type: 'sequenceAck', sequenceId: 2 }))
  await expect.poll(() => findConnection(first.connectionId)?.unacked.length).toBe(1)
  const resume = (token: string, protocol = RELIABLE) =>
    openRealtime(`${at}?awps_connection_id=${first.connectionId}&awps_reconnection_token=${token}`, protocol)
  for (const attempt of [resume('x'), resume(first.reconnectionToken, 'json.webpubsub.azure.v1')])
    await expect(attempt).rejects.toThrow('"code":1008')
  const again = await resume(first.reconnectionToken)
  expect(again.connectionId).toBe(first.connectionId)
  expect(await again.next()).toMatchObject({ sequenceId: 3, data: { value: 3 } })
  expect((await first.closed).code).toBe(1006)
  push(4)
  expect(await again.next()).toMatchObject({ sequenceId: 4, data: { value: 4 } })
  again.socket.close()
  await expect.poll(() => findConnection(first.connectionId)).toBeUndefined()
})

test('json.webpubsub.azure.v1 has no sequence numbers; without a sub-protocol the data are sent bare', async () => {
  const json = await connectRealtime(platform, 'json.webpubsub.azure.v1')
  const plain = await connectRealtime(platform, '')
  expect(json.reconnectionToken).toBeUndefined()
  const [one, other] = [await watch(json.connectionId), await watch(plain.connectionId)]
  push(1)
  const message = await json.next()
  expect(message).toMatchObject({ type: 'message', from: 'server', data: { subscriptionId: one, value: 1 } })
  expect(message.sequenceId).toBeUndefined()
  expect(await plain.next()).toMatchObject({ topic: 'telemetry', subscriptionId: other, value: 1 })
  json.socket.send('{"type":"ping"}')
  expect(await json.next()).toEqual({ type: 'pong' })
  json.socket.send('{"type":"joinGroup","group":"g","ackId":7}')
  expect(await json.next()).toMatchObject({ type: 'ack', ackId: 7, success: false })
  for (const said of [
    '{"type":"joinGroup"}',
    '{"type":"new"}',
    '{"type":"sequenceAck","sequenceId":"x"}',
    '7',
  ])
    plain.socket.send(said)
  plain.socket.terminate()
  await expect.poll(() => findConnection(plain.connectionId)).toBeUndefined()
  json.socket.close()
})

test.each([
  ['no JSON', 'x', 1007],
  ['no object', '7', 1007],
  ['a binary message', Buffer.from('{}'), 1003],
  ['a message that is too large', 'x'.repeat(70_000), 1009],
])('%s closes the connection', async (_what, said, code) => {
  const client = await connectRealtime(platform)
  client.socket.send(said)
  expect((await client.closed).code).toBe(code)
})

test('a client that does not read is disconnected, and its messages are discarded [docs/push#limits]', async () => {
  const slow = await connectRealtime(platform, '')
  await watch(slow.connectionId)
  slow.socket.pause()
  const large = 'x'.repeat(1_000_000)
  for (let turn = 0; turn < 200 && findConnection(slow.connectionId); turn++) {
    push(large)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(findConnection(slow.connectionId)).toBeUndefined()
  expect(platform.ctx.push.watchers.size).toBe(0)
  slow.socket.resume()
  expect(await slow.closed).toEqual({ code: 1013, reason: expect.stringContaining('slowly') })
})

test('a client that does not answer a ping is disconnected', async () => {
  const { pingAll } = await import('./open-connection.ts')
  const client = await connectRealtime(platform, '', {})
  pingAll(platform.ctx.push)
  await expect.poll(() => findConnection(client.connectionId)?.isAlive).toBe(true)
  client.socket.pause()
  pingAll(platform.ctx.push)
  pingAll(platform.ctx.push)
  await expect.poll(() => findConnection(client.connectionId)).toBeUndefined()
  client.socket.terminate()
})

test('the token of a negotiation opens one connection at a time, and is valid for nothing else', async () => {
  const { url: at, accessToken } = await negotiate(platform)
  expect(new URL(at)).toMatchObject({ protocol: 'ws:', pathname: '/v1/realtime/client/hubs/gangway' })
  expect((await platform.get('/v1/auth/me', { token: accessToken })).status).toBe(401)
  const withToken = `${at}?access_token=${accessToken}`
  const first = await openRealtime(withToken)
  expect(await refusedRealtime(withToken)).toMatchObject({ status: 409, body: { error: 'conflict' } })
  first.socket.terminate()
  await expect.poll(() => findConnection(first.connectionId)?.socket).toBeUndefined()
  const second = await openRealtime(withToken)
  expect(findConnection(first.connectionId)).toBeUndefined()
  second.socket.close()
})

test('wrong tokens, paths and sub-protocols are refused with a reason', async () => {
  const { url: at, accessToken } = await negotiate(platform)
  const { tokenSeconds } = platform.ctx.push.limits
  platform.ctx.push.limits.tokenSeconds = -1
  const expired = (await negotiate(platform)).accessToken
  platform.ctx.push.limits.tokenSeconds = tokenSeconds
  for (const token of ['', 'x', platform.adminToken, expired, `${accessToken}x`])
    expect(await refusedRealtime(`${at}?access_token=${token}`)).toMatchObject({
      status: 401,
      body: { error: 'unauthorized', message: expect.stringContaining('negotiate'), details: {} },
    })
  expect((await refusedRealtime(at)).status).toBe(401)
  expect((await refusedRealtime(`${at}s?access_token=${accessToken}`)).status).toBe(404)
  expect(
    (await refusedRealtime(`${at}?access_token=${accessToken}`, { protocol: 'mqtt' })).body,
  ).toMatchObject({
    error: 'validation_error',
    message: expect.stringContaining(RELIABLE),
  })
  const { connectionsPerUser } = platform.ctx.push.limits
  platform.ctx.push.limits.connectionsPerUser = 0
  expect((await refusedRealtime(`${at}?access_token=${accessToken}`)).status).toBe(429)
  platform.ctx.push.limits.connectionsPerUser = connectionsPerUser
})

test('the token may be in the header, and the path may omit /v1', async () => {
  const { url: at, accessToken } = await negotiate(platform)
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(at.replace('/v1', ''), { headers: { authorization: `Bearer ${accessToken}` } })
  const [first] = await once(socket, 'message')
  expect(JSON.parse(String(first))).toMatchObject({ type: 'system', event: 'connected' })
  socket.close()
})

test('the token of a user who was disabled meanwhile is refused', async () => {
  const { id, token } = await makeUser(platform)
  const { url: at, accessToken } = await negotiate(platform, { token })
  await platform.patch(`/v1/users/${id}`, { disabled: true })
  expect((await refusedRealtime(`${at}?access_token=${accessToken}`)).status).toBe(401)
})

test('an upgrade that is no WebSocket, and a client that leaves meanwhile, have no effect', async () => {
  const { hostname, port } = new URL(platform.url)
  const { url: at, accessToken } = await negotiate(platform)
  const ask = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
  const socket = connectSocket(Number(port), hostname)
  socket.write(ask(`${new URL(at).pathname}?access_token=${accessToken}`))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 400/)
  const leaving = connectSocket(Number(port), hostname)
  leaving.write(ask('/x'))
  leaving.resetAndDestroy()
  expect((await platform.get('/healthz')).status).toBe(200)
})
