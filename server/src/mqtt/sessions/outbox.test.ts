import { connect } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectPacket,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'
import { serverLimits } from '../connection/limits.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Connection, Session } from '../state.ts'
import { addStoredMessages, createOutbox, enqueue } from './outbox.ts'

let gateway: TestGateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway[Symbol.asyncDispose]())

test.each([
  { name: 'small messages', bytes: 1, published: 2500, sent: 1000 },
  { name: 'large messages', bytes: 400_000, published: 8, sent: 3 },
])(
  'a device that takes any number and acknowledges nothing is sent a limited number of $name',
  async ({ bytes, published, sent }) => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/own`
    const silent = await subscribeSilently(device, topic)
    const publisher = await gateway.connect(device, { clientId: 'publisher' })
    const payload = Buffer.alloc(bytes)
    const publishing = Array.from({ length: published }, () =>
      publisher.publishAsync(topic, payload, { qos: 1 }),
    )
    await Promise.all(publishing)
    // The answer comes after everything that was sent before.
    await silent.ping()
    expect(silent.count()).toBe(sent)
    await publisher.endAsync()
    silent.drop()
  },
)

test('topics get a limited number of aliases, and long ones get none', async () => {
  const device = await gateway.makeDevice()
  const client = await gateway.raw(device, { protocolVersion: 5, properties: { topicAliasMaximum: 65_535 } })
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: `devices/${device.id}/#`, qos: 0 }],
  } as Packet)
  const levels = ['x'.repeat(1000), ...Array.from({ length: 102 }, (_, index) => `note-${index}`)]
  const aliases = []
  for (const level of levels)
    client.send({
      cmd: 'publish',
      topic: `devices/${device.id}/${level}`,
      payload: 'hello',
      qos: 0,
      dup: false,
      retain: false,
    })
  while (aliases.length < levels.length) {
    const packet = await client.next()
    if (packet.cmd === 'publish' && !packet.topic.endsWith('/desired'))
      aliases.push(packet.properties?.topicAlias)
  }
  expect(aliases[0]).toBeUndefined()
  expect(new Set(aliases).size).toBeLessThanOrEqual(101)
  expect(aliases.at(-1)).toBeUndefined()
  client.socket.destroy()
})

describe('the bytes of all outboxes', () => {
  const publication = { topic: 'a', payload: Buffer.from('hello'), qos: 1 as const, retain: false }
  const makeParts = (insertMessage: () => Promise<number>) =>
    ({ outboxBytes: 0, limits: serverLimits, storedSessions: { insertMessage } }) as unknown as GatewayParts
  const makeSession = (phase: Connection['phase']) =>
    ({
      connection: { phase },
      outbox: createOutbox(),
      subscriptions: new Map(),
      stored: { number: 1, generation: 1 },
    }) as unknown as Session

  test('do not count messages that were read for a connection that has ended', () => {
    const parts = makeParts(() => Promise.resolve(1))
    const stored = { ...publication, number: 1, packetId: 1, isReleased: false, wasSent: false }
    const ended = makeSession('ended')
    addStoredMessages(parts, ended, [stored])
    expect([parts.outboxBytes, ended.outbox.messages.size]).toEqual([0, 0])
    addStoredMessages(parts, makeSession('open'), [stored])
    expect(parts.outboxBytes).toBe(5)
  })

  test('do not count a message that could not be stored, and the session sends as many as before', async () => {
    const parts = makeParts(() => Promise.reject(new Error('no database')))
    const session = makeSession('open')
    await expect(enqueue(parts, session, publication)).rejects.toThrow('no database')
    expect([parts.outboxBytes, session.outbox.bytes, session.outbox.messages.size]).toEqual([0, 0, 0])
  })
})

/** A client with MQTT 5 that sets no receive maximum. */
async function subscribeSilently(device: TestDevice, topic: string) {
  const protocolVersion = 5
  const socket = connect(gateway.port, '127.0.0.1')
  const packets = parser({ protocolVersion })
  const waiting = new Map<string, () => void>()
  let count = 0
  packets.on('packet', ({ cmd }) => {
    if (cmd === 'publish') count++
    else waiting.get(cmd)?.()
  })
  socket.on('data', (chunk) => void packets.parse(chunk))
  const ask = (packet: Packet, answer: string) => {
    socket.write(generate(packet, { protocolVersion }))
    return new Promise<void>((resolve) => void waiting.set(answer, resolve))
  }
  await ask(connectPacket(device, { clientId: 'silent', protocolVersion }), 'connack')
  await ask({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] } as Packet, 'suback')
  return {
    count: () => count,
    ping: () => ask({ cmd: 'pingreq' }, 'pingresp'),
    drop: () => socket.destroy(),
  }
}
