import { connect } from 'node:net'
import { generate, type Packet, parser } from 'mqtt-packet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectPacket,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../../test/harness/gateway.ts'

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
