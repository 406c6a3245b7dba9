/** Two nodes with one database; the devices are connected to the node that is not called. */
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connectClients, insertNode } from '../../../test/harness/other-node.ts'
import { type Carrier, carriers } from '../../../test/harness/nats-server.ts'
import { type OtherProcess, otherProcess } from '../../../test/harness/other-process.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import type { Context } from '../../context.ts'
import { startMqtt } from '../../mqtt/start.ts'

describe.each(carriers('methods of devices at other nodes'))(
  'where $carrier carries the messages between nodes',
  ({ start }) => {
    let carrier: Carrier
    let platform: Platform
    let other: OtherProcess
    let gateways: AsyncDisposable[]
    const devices: MqttClient[] = []
    beforeAll(async () => {
      carrier = await start()
      platform = await startPlatform(carrier.environment)
      other = otherProcess(platform.ctx)
      gateways = [await startMqtt(platform.ctx, platform.parts), await startMqtt(other, other)]
    })
    afterAll(async () => {
      for (const device of devices) await device.endAsync(true)
      for (const gateway of gateways) await gateway[Symbol.asyncDispose]()
      await platform[Symbol.asyncDispose]()
      await carrier[Symbol.asyncDispose]()
    })

    const clients = '/v1/providers/mqtt/clients'
    /** Waits for the answer for as long as possible: on a busy machine, many at once take longer than usual. */
    const invoke = (id: string, body: object) =>
      platform.post(`${clients}/${id}/methods`, { timeoutSeconds: 300, ...body })
    const readConnection = async (id: string) => (await platform.get(`${clients}/${id}`)).body

    interface Question {
      correlationId: string
      payload: unknown
    }

    /** @param answer undefined for a device that does not answer */
    async function connect(at: Context, id: string, answer?: (question: Question) => unknown, takes = true) {
      if ((await platform.get(`${clients}/${id}`)).status === 404)
        await platform.post(clients, { id, displayName: id })
      const { primaryKey } = (await platform.get(`${clients}/${id}/credentials`)).body
      const options = { clientId: id, username: id, password: primaryKey, reconnectPeriod: 0 }
      const device = await connectAsync(at.endpoints.mqtt!, options)
      devices.push(device)
      const asked: Question[] = []
      const respond = (question: Question, response: unknown) =>
        device.publishAsync(
          `devices/${id}/methods/m/response/${question.correlationId}`,
          JSON.stringify(response),
          {
            qos: 1,
          },
        )
      device.on('message', (_topic, payload) => {
        const question = JSON.parse(`${payload}`) as Question
        asked.push(question)
        if (answer) respond(question, answer(question)).catch(() => {})
      })
      if (takes) await device.subscribeAsync(`devices/${id}/methods/+/invoke`, { qos: 1 })
      const { number } = await at.db
        .selectFrom('provider_clients')
        .select('number')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      await vi.waitFor(async () => {
        const { rows } = await at.pool.query(
          'select from client_connections where client_number = $1 and $2 = any(node_ids)',
          [number, at.nodes.id],
        )
        expect(rows).toHaveLength(1)
      })
      return { device, asked, respond, number }
    }

    const listDeadLetters = async (number: number) =>
      (await platform.ctx.pool.query('select reason from dead_letters where client_number = $1', [number]))
        .rows

    describe.concurrent('a direct method of a device that is connected to another node', () => {
      test('reaches the device, and its response is returned [docs/operating#several-servers]', async () => {
        const large = 'x'.repeat(800_000)
        const { asked } = await connect(other, 'far', ({ payload }) => ({
          status: 202,
          payload: { payload },
        }))
        const { status, body } = await invoke('far', { method: 'm', payload: { large } })
        expect([status, body.status, body.payload.payload.large === large]).toEqual([200, 202, true])
        expect(asked).toEqual([
          { correlationId: expect.any(String), payload: { large }, timeoutSeconds: 300 },
        ])
      })

      test('is sent once, also with many concurrent calls', async () => {
        const { asked } = await connect(other, 'many', ({ payload }) => ({ status: 200, payload }))
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, number) => invoke('many', { method: 'm', payload: { number } })),
        )
        expect(answers.map(({ body }) => body.payload.number)).toEqual([...Array(20).keys()])
        expect(asked).toHaveLength(20)
      })

      test('is device_offline if the device has not subscribed [docs/operating#several-servers]', async () => {
        await connect(other, 'deaf', undefined, false)
        expect(await invoke('deaf', { method: 'm' })).toMatchObject({
          status: 409,
          body: {
            error: 'device_offline',
            message: expect.stringContaining('not subscribed'),
            details: { clientId: 'deaf', method: 'm' },
          },
        })
      })

      test('is device_offline if the other node has stopped [docs/operating#several-servers]', async () => {
        const { device, number } = await connect(other, 'gone')
        await device.endAsync(true)
        const { pool } = platform.ctx
        await connectClients(pool, [number], await insertNode(pool))
        expect(await invoke('gone', { method: 'm' })).toMatchObject({
          status: 409,
          body: { error: 'device_offline', message: expect.stringContaining('not connected') },
        })
      })

      test('is device_timeout if the device does not answer, and its late response is a dead letter [docs/operating#several-servers]', async () => {
        const { asked, respond, number } = await connect(other, 'silent')
        const call = invoke('silent', { method: 'm', timeoutSeconds: 5 })
        // No other device can answer for it.
        const stranger = await connect(other, 'stranger')
        await vi.waitFor(() => expect(asked).toHaveLength(1))
        await stranger.respond(asked[0]!, { status: 200, payload: 'stranger' })
        const { status, body } = await call
        const { correlationId } = asked[0]!
        expect([status, body.error]).toEqual([504, 'device_timeout'])
        expect(body.details).toEqual({ clientId: 'silent', method: 'm', correlationId, timeoutSeconds: 5 })
        await respond(asked[0]!, { status: 200, payload: null })
        expect(await listDeadLetters(number)).toEqual([{ reason: 'no_method_waiting' }])
      })

      test('a repeated or unsolicited response is a dead letter', async () => {
        const { asked, respond, number } = await connect(other, 'twice', () => ({ status: 200, payload: 1 }))
        expect((await invoke('twice', { method: 'm' })).body).toEqual({ status: 200, payload: 1 })
        await respond(asked[0]!, { status: 200, payload: 2 })
        await respond({ correlationId: 'x'.repeat(9000), payload: null }, { status: 200, payload: 2 })
        expect(await listDeadLetters(number)).toEqual([
          { reason: 'no_method_waiting' },
          { reason: 'no_method_waiting' },
        ])
      })
    })

    test('a device that reconnects to another node during a method can answer there', async () => {
      const here = await connect(platform.ctx, 'reboots')
      const call = invoke('reboots', { method: 'm' })
      await vi.waitFor(() => expect(here.asked).toHaveLength(1))
      await here.device.endAsync(true)
      const there = await connect(other, 'reboots')
      await there.respond(here.asked[0]!, { status: 200, payload: 'back' })
      expect((await call).body).toEqual({ status: 200, payload: 'back' })
    })

    test.each([
      [
        'disabled',
        'client_disabled',
        (id: string) => platform.put(`${clients}/${id}`, { displayName: id, enabled: false }),
      ],
      ['deleted', 'client_deleted', (id: string) => platform.delete(`${clients}/${id}`)],
    ])(
      'the session of a client that is %s ends, whichever process holds it',
      async (what, _reason, change) => {
        const { device } = await connect(other, what)
        const closed = new Promise<void>((resolve) => device.once('close', () => resolve()))
        expect((await change(what)).status).toBeLessThan(300)
        await closed
        expect(other.liveSessions.list(what)).toEqual([])
      },
    )

    test('a rotation ends sessions of the previous primary key on other nodes, but not those of the secondary key', async () => {
      const { device } = await connect(other, 'rotated')
      const rotate = () => platform.post(`${clients}/rotated/credentials/rotate`)
      const closed = new Promise<void>((resolve) => device.once('close', () => resolve()))
      const { secondaryKey } = (await platform.get(`${clients}/rotated/credentials`)).body
      const options = { clientId: 'second', username: 'rotated', password: secondaryKey, reconnectPeriod: 0 }
      const second = await connectAsync(other.endpoints.mqtt!, options)
      devices.push(second)
      expect((await rotate()).status).toBeLessThan(300)
      await closed
      expect(second.connected).toBe(true)
      expect((await readConnection('rotated')).id).toBe('rotated')
    })

    test.each([
      ['this', () => platform.ctx],
      ['another', () => other],
    ])(
      'a device of MQTT 5 at %s node answers by the properties of the request [docs/mqtt#direct-methods]',
      async (name, at) => {
        const id = `replies-at-${name}`
        await platform.post(clients, { id, displayName: id })
        const { primaryKey } = (await platform.get(`${clients}/${id}/credentials`)).body
        const options = { clientId: id, username: id, password: primaryKey, reconnectPeriod: 0 }
        const device = await connectAsync(at().endpoints.mqtt!, { ...options, protocolVersion: 5 })
        devices.push(device)
        const correlations: [string, string][] = []
        device.on('message', (_topic, payload, { properties }) => {
          const { responseTopic, correlationData } = properties ?? {}
          correlations.push([`${correlationData}`, (JSON.parse(`${payload}`) as Question).correlationId])
          const answer = { qos: 1, properties: { correlationData: correlationData! } } as const
          device.publishAsync(responseTopic!, '{"status":201,"payload":"done"}', answer).catch(() => {})
        })
        await device.subscribeAsync(`devices/${id}/methods/+/invoke`, { qos: 1 })
        await vi.waitFor(async () => expect((await readConnection(id)).connection.connected).toBe(true))
        expect((await invoke(id, { method: 'm' })).body).toEqual({ status: 201, payload: 'done' })
        expect(correlations).toEqual([[expect.any(String), correlations[0]![0]]])
      },
    )

    test('no relayed message remains in the database', async () => {
      await vi.waitFor(async () =>
        expect((await platform.ctx.pool.query('select from handovers')).rows).toEqual([]),
      )
    })
  },
)
