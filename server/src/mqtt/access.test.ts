import type { Packet, QoS } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectPacket,
  type RawClient,
  startGateway,
  type TestDevice,
  type TestGateway,
} from '../../test/harness/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function granted(client: RawClient, ...filters: string[]) {
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: filters.map((topic) => ({ topic, qos: 1 as QoS })),
  } as Packet)
  const packet = await nextOf(client, 'suback')
  return packet.cmd === 'suback' ? packet.granted : undefined
}

async function nextOf(client: RawClient, cmd: Packet['cmd']): Promise<Packet> {
  for (;;) {
    const packet = await client.next()
    if (packet.cmd === cmd) return packet
  }
}

const publish = (topic: string, payload = '{}', options: Partial<Packet> = {}) =>
  ({ cmd: 'publish', topic, payload, qos: 1, messageId: 1, dup: false, retain: false, ...options }) as Packet

describe('a device has devices/{deviceId}/# and nothing else [docs/mqtt#access-rule]', () => {
  test('it subscribes to its own topics', async () => {
    const device = await gateway.makeDevice()
    const own = `devices/${device.id}`
    const client = await gateway.raw(device)
    expect(
      await granted(client, `${own}/#`, `${own}/twin/desired`, `${own}/methods/+/invoke`, `${own}/+`),
    ).toEqual([1, 1, 1, 1])
  })

  test('every other filter is refused with 0x80, and the record names the last one', async () => {
    const device = await gateway.makeDevice()
    const other = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const foreign = [
      '#',
      '+',
      '+/#',
      '+/+/twin/desired',
      'devices/#',
      'devices/+/telemetry',
      `devices/${other.id}/#`,
      `devices/${device.id}x/#`,
      '$SYS/#',
      `$share/g/devices/${device.id}/#`,
      `/devices/${device.id}/#`,
      `devices//${device.id}/#`,
    ]
    expect(await granted(client, ...foreign)).toEqual(foreign.map(() => 128))
    const { refused_reason } = await gateway.connectionOf(
      device,
      (row) => row.connected && row.refused_reason !== null,
    )
    expect(refused_reason).toBe(
      `topic_not_allowed: The device may subscribe to devices/${device.id}/# only, not to ${foreign.at(-1)}.`,
    )
  })

  test.each(['devices/other/telemetry', '$SYS/x', 'telemetry', 'devices'])(
    'publishing to %s closes the connection, and the reason names the topic',
    async (topic) => {
      const device = await gateway.makeDevice()
      const client = await gateway.raw(device)
      client.send(publish(topic))
      await client.closed
      expect(client.received()).toEqual([])
      const row = await gateway.connectionOf(
        device,
        ({ disconnect_reason }) => disconnect_reason === 'topic_not_allowed',
      )
      expect(row.disconnect_message).toContain(topic)
    },
  )

  test('a very long filter is on record all the same', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    expect(await granted(client, `other/${'😀'.repeat(15_000)}`)).toEqual([128])
    const { refused_reason } = await gateway.connectionOf(device, (row) => row.refused_reason !== null)
    expect(refused_reason).toMatch(/not to other\/😀{97}\.$/u)
  })

  test('what one device publishes no other hears, whatever both subscribed to', async () => {
    const [one, two] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const [sender, listener] = [await gateway.raw(one), await gateway.raw(two, { clean: false })]
    await granted(sender, `devices/${one.id}/#`)
    // A refused filter is not kept with the session either.
    await granted(listener, '#', `devices/${one.id}/#`, `devices/${two.id}/note`)
    sender.send(publish(`devices/${one.id}/note`, 'hello'))
    await nextOf(sender, 'publish')
    listener.socket.destroy()
    await listener.closed
    const again = await gateway.raw(two, { clean: false })
    again.send({ cmd: 'pingreq' })
    expect((await again.next()).cmd).toBe('pingresp')
  })

  test('a session has a bounded number of subscriptions', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const filters = Array.from({ length: 101 }, (_, index) => `devices/${device.id}/t${index}`)
    expect((await granted(client, ...filters))!.filter((qos) => qos === 128)).toHaveLength(1)
    const { refused_reason } = await gateway.connectionOf(device, (row) => row.refused_reason !== null)
    expect(refused_reason).toContain('too_many_subscriptions: A session has 100 subscriptions at most')
  })

  test('the filters of a session are bounded together, since each is kept in memory', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const [first, second] = ['a', 'b'].map((letter) => `devices/${device.id}/${letter.repeat(40_000)}`)
    expect(await granted(client, first!)).toEqual([1])
    expect(await granted(client, second!, `devices/${device.id}/note`)).toEqual([128, 1])
    // A filter that the session has already does not count twice.
    expect(await granted(client, first!)).toEqual([1])
    const { refused_reason } = await gateway.connectionOf(device, (row) => row.refused_reason !== null)
    expect(refused_reason).toContain(
      'too_many_subscriptions: The filters of a session have 65536 characters at most',
    )
  })
})

describe('other topics of a device', () => {
  test('go to its own sessions; what nobody receives is a dead letter', async () => {
    const device = await gateway.makeDevice()
    const [client, listener] = [
      await gateway.raw(device),
      await gateway.raw(device, { clientId: 'listener' }),
    ]
    const topic = `devices/${device.id}/note`
    client.send(publish(topic, 'nobody'))
    await nextOf(client, 'puback')
    expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason: 'unknown_topic', topic }])
    await granted(listener, topic)
    client.send(publish(topic, 'somebody'))
    expect(await nextOf(listener, 'publish')).toMatchObject({ topic, payload: Buffer.from('somebody') })
    await nextOf(client, 'puback')
    expect(await gateway.deadLettersOf(device)).toHaveLength(1)
  })

  test('a stored session gets what came while it was away', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const listener = await gateway.raw(device, { clientId: 'stored', clean: false })
    await granted(listener, topic)
    listener.socket.destroy()
    await gateway.connectionOf(device, ({ connected }) => !connected)
    const client = await gateway.raw(device)
    client.send(publish(topic, 'while away'))
    await nextOf(client, 'puback')
    const again = await gateway.raw(device, { clientId: 'stored', clean: false })
    expect(await nextOf(again, 'publish')).toMatchObject({ topic, payload: Buffer.from('while away') })
  })

  test('nobody else can end a stored session by naming it, with the right key of another device or without any', async () => {
    const [device, other] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const topic = `devices/${device.id}/note`
    const listener = await gateway.raw(device, { clientId: 'stored', clean: false })
    await granted(listener, topic)
    const stranger = await gateway.raw()
    stranger.send({
      ...connectPacket(device, { clientId: `${device.id}/stored` }),
      password: Buffer.from('wrong'),
    })
    await stranger.closed
    const neighbour = await gateway.raw(other, { clientId: `${device.id}/stored` })
    neighbour.socket.destroy()
    await neighbour.closed
    listener.socket.destroy()
    await listener.closed
    const client = await gateway.raw(device)
    client.send(publish(topic, 'still there'))
    await nextOf(client, 'puback')
    const again = await gateway.raw(device, { clientId: 'stored', clean: false })
    expect(await nextOf(again, 'publish')).toMatchObject({ payload: Buffer.from('still there') })
  })

  test('a retained message comes to a later session of the device, never to a client that got its id', async () => {
    const device = await gateway.makeDevice()
    const topic = `devices/${device.id}/note`
    const client = await gateway.raw(device)
    client.send(publish(topic, 'kept', { retain: true } as Partial<Packet>))
    await nextOf(client, 'puback')
    await granted(client, topic)
    expect(await nextOf(client, 'publish')).toMatchObject({ payload: Buffer.from('kept'), retain: true })
    await gateway.database.pool.query('delete from provider_clients where number = $1', [device.number])
    const successor = await gateway.raw(await gateway.makeDevice(device.id))
    await granted(successor, topic)
    successor.send({ cmd: 'pingreq' })
    expect((await successor.next()).cmd).toBe('pingresp')
  })

  test('retained messages are bounded; one more is a dead letter', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    for (let index = 0; index <= 100; index++) {
      client.send(
        publish(`devices/${device.id}/n${index}`, 'x', {
          retain: true,
          messageId: index + 1,
        } as Partial<Packet>),
      )
      await nextOf(client, 'puback')
    }
    expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason: 'not_retained' }])
  })

  test('retained telemetry is stored like any other and not kept by the broker', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(publish(`devices/${device.id}/telemetry`, '{"a":1}', { retain: true } as Partial<Packet>))
    await nextOf(client, 'puback')
    expect(await gateway.samplesOf(device)).toHaveLength(1)
    await granted(client, `devices/${device.id}/#`)
    expect(await nextOf(client, 'publish')).toMatchObject({ topic: `devices/${device.id}/twin/desired` })
  })
})

describe('direct methods [docs/mqtt#direct-methods]', () => {
  const responseTopic = (device: TestDevice, correlationId: string) =>
    `devices/${device.id}/methods/reboot/response/${correlationId}`

  test('a response reaches who waits for it', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await granted(client, `devices/${device.id}/methods/+/invoke`)
    const [session] = gateway.ctx.liveSessions.list(device.id)
    expect(session!.send(`devices/${device.id}/methods/reboot/invoke`, '{"correlationId":"c1"}')).toBe(true)
    expect(session!.send(`devices/${device.id}/other`, '{}')).toBe(false)
    expect(await nextOf(client, 'publish')).toMatchObject({
      qos: 1,
      payload: Buffer.from('{"correlationId":"c1"}'),
    })
    const answered = gateway.ctx.pendingMethods.wait(device.id, 'c1', 5)
    client.send(publish(responseTopic(device, 'c1'), '{"status":200,"payload":{"ok":true}}'))
    expect(await answered).toEqual({ status: 200, payload: { ok: true } })
  })

  test.each([
    ['no_method_waiting', '{"status":200}'],
    ['bad_method_response', '{"status":"200"}'],
    ['bad_method_response', '{}'],
    ['not_json', 'no'],
  ])('%s: acknowledged and kept as a dead letter', async (reason, payload) => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(publish(responseTopic(device, 'c2'), payload))
    await nextOf(client, 'puback')
    expect(await gateway.deadLettersOf(device)).toMatchObject([{ reason }])
  })

  test('a device cannot answer for another', async () => {
    const [device, other] = [await gateway.makeDevice(), await gateway.makeDevice()]
    const client = await gateway.raw(other)
    const answered = gateway.ctx.pendingMethods.wait(device.id, 'c3', 5)
    client.send(publish(responseTopic(other, 'c3'), '{"status":200}'))
    await nextOf(client, 'puback')
    gateway.ctx.pendingMethods.cancel(device.id, 'c3')
    expect(await answered).toBeUndefined()
  })
})

describe('desired properties [docs/mqtt#twin]', () => {
  const setDesired = (device: TestDevice, version: number) =>
    gateway.database.pool.query(
      `insert into client_twins (client_number, desired, desired_version) values ($1, '{"interval": 5}', $2)`,
      [device.number, version],
    )

  test('come in full on subscribing, and on connecting with a stored subscription', async () => {
    const device = await gateway.makeDevice()
    await setDesired(device, 3)
    const topic = `devices/${device.id}/twin/desired`
    const client = await gateway.raw(device, { clean: false })
    await granted(client, topic)
    const first = await nextOf(client, 'publish')
    expect(first).toMatchObject({ topic, qos: 1 })
    expect(JSON.parse(String((first as { payload: Buffer }).payload))).toEqual({ interval: 5, $version: 3 })
    client.send({ cmd: 'puback', messageId: first.messageId })
    client.socket.end()
    await gateway.connectionOf(device, ({ connected }) => !connected)
    const again = await gateway.raw(device, { clean: false })
    expect(await nextOf(again, 'publish')).toMatchObject({ topic })
  })

  test('before anything was set they are empty', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await granted(client, `devices/${device.id}/#`)
    expect(await nextOf(client, 'publish')).toMatchObject({ payload: Buffer.from('{"$version":0}') })
  })
})

test('a will is published and stored when the device vanishes, not when it says goodbye', async () => {
  const device = await gateway.makeDevice()
  const will = {
    topic: `devices/${device.id}/telemetry`,
    payload: Buffer.from('{"gone":true}'),
    qos: 1 as const,
    retain: false,
  }
  const polite = await gateway.raw(device, { will })
  polite.send({ cmd: 'disconnect' })
  await polite.closed
  const vanishing = await gateway.raw(device, { will })
  vanishing.socket.resetAndDestroy()
  await gateway.connectionOf(device, ({ connected }) => !connected)
  await expect.poll(() => gateway.samplesOf(device)).toMatchObject([{ name: 'gone', value: true }])
})
