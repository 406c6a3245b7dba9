import { once } from 'node:events'
import { connectAsync, type IClientOptions } from 'mqtt'
import { generate, type IDisconnectPacket } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { makeCertificateDevice } from '../../../../test/harness/certificate-device.ts'
import { makeGroup } from '../../../../test/harness/enrollment-group.ts'
import { connectPacket } from '../../../../test/harness/gateway.ts'
import { type Platform, startPlatform } from '../../../../test/harness/platform.ts'
import { exchange } from '../../../../test/harness/raw-http.ts'
import { type Mqtt, startMqtt } from '../../start.ts'
import { acceptWebSockets } from './web-sockets.ts'

let platform: Platform
let mqtt: Mqtt
let webSockets: AsyncDisposable
let secureWebSockets: AsyncDisposable
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_TRUST_PROXY: '1' })
  mqtt = await startMqtt(platform.ctx, platform.parts)
  webSockets = acceptWebSockets(mqtt.gateway, platform.upgrades)
  secureWebSockets = acceptWebSockets(mqtt.gateway, platform.secureUpgrades)
})
afterAll(async () => {
  await secureWebSockets[Symbol.asyncDispose]()
  await webSockets[Symbol.asyncDispose]()
  await mqtt[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const clients = '/v1/providers/mqtt/clients'
const url = () => `${platform.url.replace('http', 'ws')}/mqtt`
const upgradeHeaders =
  'host: a\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

async function makeDevice(id: string) {
  await platform.post(clients, { id, displayName: id })
  const { primaryKey } = (await platform.get(`${clients}/${id}/credentials`)).body
  return { id, key: primaryKey as string, number: 0, secondaryKey: '' }
}

async function connect(id: string, options: IClientOptions = {}) {
  const { key } = await makeDevice(id)
  return connectAsync(url(), {
    username: id,
    password: key,
    clientId: id,
    reconnectPeriod: 0,
    ...options,
  })
}

const disconnectReason = async (id: string) =>
  (await platform.get(`${clients}/${id}`)).body.connection.disconnectReason

/** A WebSocket whose frames the test makes itself, with a device that has signed in. */
async function connectRaw(id: string) {
  const device = await makeDevice(id)
  const socket = new WebSocket(url(), 'mqtt')
  await once(socket, 'open')
  const packet = generate(connectPacket(device))
  // A packet may span frames, also fragmented ones. [MQTT-6.0.0-2]
  socket.send(packet.subarray(0, 3))
  socket.send(packet.subarray(3, 10), { fin: false })
  socket.send(packet.subarray(10), { fin: true })
  const [connack] = await once(socket, 'message')
  expect(connack).toEqual(Buffer.from([0x20, 2, 0, 0]))
  return socket
}

describe.each([4, 5] as const)('a device with protocol level %d over WebSocket', (protocolVersion) => {
  test('publishes, receives and leaves', async () => {
    const id = `web-${protocolVersion}`
    const device = await connect(id, { protocolVersion })
    const received: [string, number][] = []
    device.on('message', (topic, payload) => received.push([topic, payload.length]))
    await device.subscribeAsync(`devices/${id}/own`, { qos: 1 })
    const large = Buffer.alloc(1024 * 1024, 'x')
    await device.publishAsync(`devices/${id}/own`, large, { qos: 1 })
    await vi.waitFor(() => expect(received).toEqual([[`devices/${id}/own`, large.length]]))
    await device.publishAsync(`devices/${id}/telemetry`, '{"level":1}', { qos: 2 })
    await device.endAsync()
    await vi.waitFor(async () => expect(await disconnectReason(id)).toBe('client_disconnected'))
  })
})

test('the address that a trusted proxy names is recorded', async () => {
  const device = await connect('web-proxied', { wsOptions: { headers: { 'x-forwarded-for': '192.0.2.7' } } })
  await vi.waitFor(async () =>
    expect((await platform.get(`${clients}/web-proxied`)).body.connection).toMatchObject({
      connected: true,
      remoteAddress: '192.0.2.7',
    }),
  )
  await device.endAsync(true)
})

test('a wrong key is refused as over TCP', async () => {
  await makeDevice('web-wrong')
  const options = { username: 'web-wrong', password: 'wrong', reconnectPeriod: 0 }
  await expect(connectAsync(url(), options)).rejects.toMatchObject({ code: 4 })
})

test('without the sub-protocol the upgrade is refused', async () => {
  const answer = await exchange(platform.url, `GET /mqtt HTTP/1.1\r\n${upgradeHeaders}\r\n`)
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error: 'validation_error',
      details: { issues: [{ path: 'Sec-WebSocket-Protocol', message: 'must contain mqtt' }] },
    },
  })
})

test('an upgrade at another path is not found', async () => {
  const request = `GET /mqtt/other HTTP/1.1\r\n${upgradeHeaders}sec-websocket-protocol: mqtt\r\n\r\n`
  expect(await exchange(platform.url, request)).toMatchObject({ status: 404, body: { error: 'not_found' } })
})

test('a text frame ends the connection [MQTT-6.0.0-1]', async () => {
  const socket = await connectRaw('web-text')
  socket.send('text')
  const [code] = await once(socket, 'close')
  expect(code).toBe(1003)
  await vi.waitFor(async () => expect(await disconnectReason('web-text')).toBe('protocol_error'))
})

test('pings of WebSocket are answered, between the frames of a message as well', async () => {
  const socket = await connectRaw('web-ping')
  socket.send(Buffer.of(0xc0), { fin: false })
  socket.ping('still there')
  const [content] = await once(socket, 'pong')
  expect(`${content}`).toBe('still there')
  socket.send(Buffer.of(0), { fin: true })
  const [pingresp] = await once(socket, 'message')
  expect(pingresp).toEqual(Buffer.of(0xd0, 0))
  socket.close()
  const [code] = await once(socket, 'close')
  expect(code).toBe(1000)
})

test('a device that reads slowly gets everything later, once it has taken what was sent before', async () => {
  const socket = await connectRaw('web-slow')
  const topic = 'devices/web-slow/own'
  socket.send(generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] }))
  await once(socket, 'message')
  let receivedBytes = 0
  socket.on('message', (bytes: Buffer) => (receivedBytes += bytes.length))
  socket.pause()
  const publisher = await connect('web-slow', { clientId: 'publisher' })
  const payload = Buffer.alloc(10_000, 'x')
  for (let index = 0; index < 90; index++) await publisher.publishAsync(topic, payload, { qos: 1 })
  socket.resume()
  await vi.waitFor(() => expect(receivedBytes).toBeGreaterThan(90 * payload.length))
  await publisher.endAsync()
  socket.close()
})

test('a stop acknowledges what arrived, then ends the connections with a reason', async () => {
  const own = acceptWebSockets(
    mqtt.gateway,
    // Other paths of the same server.
    { serve: (_paths, handle) => platform.upgrades.serve(['/other'], handle) },
  )
  const { key } = await makeDevice('web-stopped')
  const device = await connectAsync(url().replace('/mqtt', '/other'), {
    username: 'web-stopped',
    password: key,
    clientId: 'web-stopped',
    protocolVersion: 5,
    reconnectPeriod: 0,
  })
  const ended = new Promise<IDisconnectPacket>((resolve) => device.once('disconnect', resolve))
  const published = device.publishAsync('devices/web-stopped/telemetry', '{"level":1}', { qos: 1 })
  await vi.waitFor(async () => {
    const { body } = await platform.get(`${clients}/web-stopped`)
    expect(body.connection.connected).toBe(true)
  })
  await own[Symbol.asyncDispose]()
  await published
  expect(await ended).toMatchObject({ reasonCode: 0x8b })
  await device.endAsync(true)
})

test('over the HTTPS port a device signs in with its certificate [docs/mqtt#websocket]', async () => {
  const group = await makeGroup(platform)
  const { id, cert, key } = await makeCertificateDevice(platform.ctx, group, 'web-certificate')
  const secureUrl = `${platform.ctx.endpoints.https!.replace('https', 'wss')}/mqtt`
  const open = (wsOptions: object, options: IClientOptions = {}) =>
    connectAsync(secureUrl, {
      clientId: id,
      protocolVersion: 5,
      reconnectPeriod: 0,
      wsOptions: { rejectUnauthorized: false, ...wsOptions },
      ...options,
    })
  // No proxy can have written into what TLS protects.
  const device = await open({ cert, key, headers: { 'x-forwarded-for': '192.0.2.7' } })
  await vi.waitFor(async () =>
    expect((await platform.get(`${clients}/${id}`)).body.connection).toMatchObject({
      connected: true,
      remoteAddress: '127.0.0.1',
    }),
  )
  await device.publishAsync(`devices/${id}/telemetry`, '{"over": "wss"}', { qos: 1 })
  await expect(open({})).rejects.toMatchObject({ code: 0x86 })
  const isOfPage = (origin: string) => open({ cert, key, origin }, { clientId: 'page' })
  await expect(isOfPage('https://elsewhere.example')).rejects.toMatchObject({ code: 0x86 })
  const own = await isOfPage(platform.ctx.endpoints.https!)
  await own.endAsync()
  // A key works there, too.
  const { primaryKey } = (await platform.get(`${clients}/${id}/credentials`)).body
  const withKey = await open({}, { clientId: 'with-key', username: id, password: primaryKey })
  await withKey.endAsync()
  const ended = new Promise<IDisconnectPacket>((resolve) => void device.once('disconnect', resolve))
  const path = `/api/enrollment-groups/${group.groupId}/devices/${id}/certificates/revoke`
  expect((await platform.post(path)).status).toBe(200)
  expect((await ended).reasonCode).toBe(0x87)
  await device.endAsync()
})
