import { generate, type Packet } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
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

const publish = (
  device: TestDevice,
  payload: string | Buffer,
  options: { messageId?: number; dup?: boolean; qos?: 0 | 1 | 2 } = {},
): Packet => ({
  cmd: 'publish',
  topic: `devices/${device.id}/telemetry`,
  payload,
  qos: 1,
  messageId: 1,
  dup: false,
  retain: false,
  ...options,
})

/** Publishes and waits for the acknowledgement. */
async function acknowledged(client: RawClient, packet: Packet) {
  client.send(packet)
  expect(await client.next()).toMatchObject({ cmd: 'puback', messageId: packet.messageId })
}

describe('telemetry [docs/mqtt#telemetry]', () => {
  test('values of every type are stored with the time of arrival', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    const before = Date.now()
    await acknowledged(
      client,
      publish(device, '{"n":-1.5e-7,"b":true,"s":"ü","o":{"a":[1]},"l":[1,"x",null]}'),
    )
    const samples = await gateway.samplesOf(device)
    expect(samples.map(({ name, value }) => [name, value])).toEqual([
      ['b', true],
      ['l', [1, 'x', null]],
      ['n', -1.5e-7],
      ['o', { a: [1] }],
      ['s', 'ü'],
    ])
    for (const { time } of samples) {
      expect(time.getTime()).toBeGreaterThanOrEqual(before)
      expect(time.getTime()).toBeLessThanOrEqual(Date.now())
    }
  })

  test('the key timestamp is the time and not a signal; null is not stored', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(
      client,
      publish(device, '{"timestamp":"2026-01-31T08:00:00.250+01:00","a":1,"b":null}'),
    )
    expect(await gateway.samplesOf(device)).toEqual([
      { name: 'a', value: 1, time: new Date('2026-01-31T07:00:00.250Z') },
    ])
  })

  test.each([
    ['not_json', '{"a":'],
    ['not_json', ''],
    ['not_json', Buffer.of(0x7b, 0xff, 0x7d)],
    ['not_json', '{"a":NaN}'],
    ['not_an_object', '[1]'],
    ['not_an_object', '5'],
    ['not_an_object', 'null'],
    ['bad_timestamp', '{"timestamp":"yesterday","a":1}'],
    ['bad_timestamp', '{"timestamp":1700000000,"a":1}'],
    ['bad_timestamp', '{"timestamp":"2026-02-30T00:00:00Z","a":1}'],
    ['bad_name', '{"":1}'],
    ['bad_name', JSON.stringify({ ['x'.repeat(257)]: 1 })],
    ['bad_name', '{"a\\u0000b":1}'],
    ['bad_name', '{"a\\ud800b":1}'],
    ['bad_value', '{"a":1e400}'],
    ['bad_value', '{"a":{"b":[-1e400]}}'],
    ['bad_value', '{"a":"x\\u0000"}'],
    ['bad_value', '{"a":{"\\udc00":1}}'],
    ['bad_value', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['bad_value', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    [
      'too_many_signals',
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`s${index}`, 1]))),
    ],
    ['too_much_work', `{"a":[${'{"b":[]},'.repeat(22_000)}0]}`],
  ])(
    '%s: a payload that cannot be read is acknowledged and kept as a dead letter [docs/telemetry#dead-letters]',
    async (reason, payload) => {
      const device = await gateway.makeDevice()
      const client = await gateway.raw(device)
      await acknowledged(client, publish(device, payload))
      const [letter, ...more] = await gateway.deadLettersOf(device)
      expect(more).toEqual([])
      expect(letter).toMatchObject({ reason, topic: `devices/${device.id}/telemetry` })
      expect(letter!.payload.equals(Buffer.from(payload as string))).toBe(true)
      expect(letter!.message).toMatch(/\.$/)
      expect(await gateway.samplesOf(device)).toEqual([])
      client.socket.destroy()
    },
  )

  test('the dead letter names the path of text that cannot be stored', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, '{"a":1,"b":{"c":["fine",{"d":"\\ud800"}]}}'))
    const [letter] = await gateway.deadLettersOf(device)
    expect(letter!.message).toBe('b.c.1.d holds a NUL character or a lone surrogate, which cannot be stored.')
    client.socket.destroy()
  })

  test('a name that is special to JavaScript is stored', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, '{"__proto__":1,"constructor":2,"toString":3}'))
    expect((await gateway.samplesOf(device)).map(({ name }) => name)).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ])
  })

  test('valid and invalid messages of many devices in one batch do not affect each other', async () => {
    const devices = await Promise.all(Array.from({ length: 20 }, () => gateway.makeDevice()))
    const clients = await Promise.all(devices.map((device) => gateway.raw(device)))
    await Promise.all(
      devices.map((device, index) =>
        acknowledged(clients[index]!, publish(device, index % 2 ? '{"a":1}' : '{"a":"\\u0000"}')),
      ),
    )
    for (const [index, device] of devices.entries()) {
      expect(await gateway.samplesOf(device)).toHaveLength(index % 2)
      expect(await gateway.deadLettersOf(device)).toHaveLength(1 - (index % 2))
    }
  })

  test('QoS 0 and QoS 2 are stored too, QoS 2 before PUBREC', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.send(publish(device, '{"zero":0}', { qos: 0, messageId: undefined }))
    client.send(publish(device, '{"two":2}', { qos: 2, messageId: 7 }))
    expect(await client.next()).toMatchObject({ cmd: 'pubrec', messageId: 7 })
    expect((await gateway.samplesOf(device)).map(({ name }) => name)).toContain('two')
    client.send(publish(device, '{"two":2}', { qos: 2, messageId: 7, dup: true }))
    expect(await client.next()).toMatchObject({ cmd: 'pubrec', messageId: 7 })
    client.send({ cmd: 'pubrel', messageId: 7 })
    expect(await client.next()).toMatchObject({ cmd: 'pubcomp', messageId: 7 })
    expect((await gateway.samplesOf(device)).map(({ name }) => name).toSorted()).toEqual(['two', 'zero'])
  })
})

describe('QoS 1 repeats are stored once [docs/telemetry#repeats]', () => {
  const payloads = {
    'timed by arrival': '{"a":1}',
    'with its own time': '{"a":1,"timestamp":"2026-01-01T00:00:00Z"}',
  }

  test.each(Object.entries(payloads))(
    '%s: after a reconnect, and after a restart of the server',
    async (_name, payload) => {
      const device = await gateway.makeDevice()
      await acknowledged(await gateway.raw(device), publish(device, payload, { messageId: 5 }))
      await acknowledged(await gateway.raw(device), publish(device, payload, { messageId: 5, dup: true }))
      await gateway.restart()
      await acknowledged(await gateway.raw(device), publish(device, payload, { messageId: 5, dup: true }))
      expect(await gateway.samplesOf(device)).toHaveLength(1)
    },
  )

  test('while the first one is still in flight', async () => {
    const device = await gateway.makeDevice()
    const first = await gateway.raw(device)
    const second = await gateway.raw(device, { clientId: 'second' })
    first.send(publish(device, '{"a":1}', { messageId: 5 }))
    second.send(publish(device, '{"a":1}', { messageId: 5, dup: true }))
    await Promise.all([first.next(), second.next()])
    expect(await gateway.samplesOf(device)).toHaveLength(1)
  })

  test('without DUP too, if a client continues to count after a reconnect', async () => {
    const device = await gateway.makeDevice()
    const first = await gateway.raw(device)
    for (const messageId of [700, 701]) await acknowledged(first, publish(device, '{"a":1}', { messageId }))
    const second = await gateway.raw(device)
    for (const messageId of [701, 702]) await acknowledged(second, publish(device, '{"a":1}', { messageId }))
    expect(await gateway.samplesOf(device)).toHaveLength(3)
  })

  test('equal values are no duplicates if a client restarts its identifiers, or always uses the same one', async () => {
    const device = await gateway.makeDevice()
    for (let boot = 0; boot < 3; boot++) {
      const client = await gateway.raw(device)
      for (const messageId of [1, 2]) await acknowledged(client, publish(device, '{"boot":1}', { messageId }))
    }
    const client = await gateway.raw(device)
    for (let time = 0; time < 4; time++)
      await acknowledged(client, publish(device, '{"b":1}', { messageId: 9 }))
    const names = (await gateway.samplesOf(device)).map(({ name }) => name)
    expect(names.filter((name) => name === 'boot')).toHaveLength(6)
    expect(names.filter((name) => name === 'b')).toHaveLength(4)
  })

  test('a message with DUP that was never stored is stored', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, '{"a":1}', { messageId: 5, dup: true }))
    await acknowledged(client, publish(device, '{"a":1}', { messageId: 6, dup: true }))
    expect(await gateway.samplesOf(device)).toHaveLength(2)
  })

  test('the same values measured again are two measurements', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    for (const messageId of [1, 2, 1]) await acknowledged(client, publish(device, '{"a":1}', { messageId }))
    expect(await gateway.samplesOf(device)).toHaveLength(3)
  })

  test('a duplicate of an unreadable message is one dead letter', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, 'no', { messageId: 5 }))
    await acknowledged(client, publish(device, 'no', { messageId: 5, dup: true }))
    expect(await gateway.deadLettersOf(device)).toHaveLength(1)
    await acknowledged(client, publish(device, 'no', { messageId: 6 }))
    expect(await gateway.deadLettersOf(device)).toHaveLength(2)
  })
})

describe('acknowledged means durable [docs/mqtt#acknowledgement]', () => {
  test('there is no PUBACK while the commit is impossible, also not after pings', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, '{"a":1}'))
    const locker = await gateway.database.pool.connect()
    await locker.query('begin; lock table sample_rows in access exclusive mode')
    client.send(publish(device, '{"a":2}', { messageId: 2 }))
    // The insert waits for the lock: no message must be acknowledged from here on.
    await waitFor(async () => {
      const { rows } = await locker.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length > 0
    })
    let isAcknowledged = false
    const next = client.next().then((packet) => {
      isAcknowledged = true
      return packet
    })
    const other = await gateway.raw()
    other.socket.destroy()
    await other.closed
    expect(isAcknowledged).toBe(false)
    await locker.query('commit')
    locker.release()
    expect(await next).toMatchObject({ cmd: 'puback', messageId: 2 })
    expect(await gateway.samplesOf(device)).toHaveLength(2)
  })

  test('messages wait while the database is unavailable, and are stored once it is available', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await acknowledged(client, publish(device, '{"a":1}'))
    const database = await gateway.loseDatabase()
    client.send(publish(device, '{"a":2}', { messageId: 2 }))
    client.send({
      ...publish(device, '{"x":1}', { messageId: 3 }),
      topic: `devices/${device.id}/twin/reported`,
    } as Packet)
    await database.back()
    expect(new Set([(await client.next()).messageId, (await client.next()).messageId])).toEqual(
      new Set([2, 3]),
    )
    expect(await gateway.samplesOf(device)).toHaveLength(2)
  })

  test('a message that the database refuses is kept as a dead letter, and the rest of its batch is stored', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    await gateway.database.pool.query(
      `alter table sample_rows add constraint poison check (numbers[1] <> 666)`,
    )
    const values = Array.from({ length: 30 }, (_, index) => (index === 13 ? 666 : index))
    client.write(
      Buffer.concat(
        values.map((value, index) => generate(publish(device, `{"a":${value}}`, { messageId: index + 1 }))),
      ),
    )
    for (const _ of values) expect((await client.next()).cmd).toBe('puback')
    await gateway.database.pool.query('alter table sample_rows drop constraint poison')
    expect(await gateway.samplesOf(device)).toHaveLength(29)
    expect(await gateway.deadLettersOf(device)).toMatchObject([
      { reason: 'refused_by_storage', payload: Buffer.from('{"a":666}') },
    ])
  })

  test('a stop acknowledges all received messages', async () => {
    const device = await gateway.makeDevice()
    const client = await gateway.raw(device)
    client.write(
      Buffer.concat(
        Array.from({ length: 500 }, (_, index) =>
          generate(publish(device, `{"a":${index}}`, { messageId: index + 1 })),
        ),
      ),
    )
    const first = await client.next()
    expect(first.cmd).toBe('puback')
    await gateway.restart()
    await client.closed
    const acks = 1 + client.received().length
    expect(acks).toBe((await gateway.samplesOf(device)).length)
    const row = await gateway.connectionOf(device, ({ connected }) => !connected)
    expect(row.disconnect_reason).toBe('server_stopped')
  })
})

async function waitFor(isTrue: () => Promise<boolean>) {
  while (!(await isTrue())) await new Promise((resolve) => void setImmediate(resolve))
}
