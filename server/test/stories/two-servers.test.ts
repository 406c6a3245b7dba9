/** Two servers on one database, over real MQTT and SMTP: an asset has devices on both, and one server dies. */
import { randomBytes } from 'node:crypto'
import mqtt from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOTIFY } from '../../src/notifications/activate.ts'
import { DELIVER } from '../../src/notifications/deliveries/insert.ts'
import { testDatabase, type TestDatabase } from '../harness/database.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { type Carrier, carriers } from '../harness/nats-server.ts'
import { adminPassword, type Api, apiAt, logIn, type TestAnswer } from '../harness/platform.ts'
import { rounds } from '../harness/rounds.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const ROUNDS = rounds(10, 4)
const STORMS = rounds(10, 4)

type Call = (method: string, path: string, body?: unknown) => Promise<TestAnswer>

describe.each(carriers('two servers with one alarm'))(
  'where $carrier carries the messages between nodes',
  ({ start }) => {
    let carrier: Carrier
    let database: TestDatabase
    let mail: MailServer
    let servers: ServerProcess[]
    /** Connected to the first and to the second server. */
    let calls: Call[]
    let keys: Record<string, string>
    let temperature: Device
    let pressure: Device
    beforeAll(async () => {
      carrier = await start()
      database = await testDatabase()
      mail = await startMailServer()
      const environment = {
        ...carrier.environment,
        DATABASE_URL: database.url,
        GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
        GANGWAY_SMTP_URL: mail.url,
        GANGWAY_MAIL_FROM: 'gangway@example.com',
      }
      servers = []
      for (let count = 0; count < 2; count++) servers.push(await startServerProcess(environment))
      const token = await logIn(apiAt(servers[0]!.endpoints.http), 'admin@example.com', adminPassword)
      calls = servers.map(({ endpoints }) => callWith(apiAt(endpoints.http), token))
      await makePump(calls[0]!)
      temperature = await connect(servers[0]!, 'thermometer')
      pressure = await connect(servers[1]!, 'manometer')
    })
    afterAll(async () => {
      for (const device of [temperature, pressure]) await device.client.endAsync()
      for (const server of servers) await server[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await carrier[Symbol.asyncDispose]()
    })

    const callWith =
      (api: Api, token: string): Call =>
      async (method, path, body) => {
        const answer = await api(method, path, body, { token })
        if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
        return answer
      }

    interface Device {
      client: mqtt.MqttClient
      send(value: number): Promise<unknown>
    }

    async function connect(server: ServerProcess, id: string): Promise<Device> {
      const client = await mqtt.connectAsync(server.endpoints.mqtt, {
        username: id,
        password: keys[id],
        reconnectPeriod: 0,
      })
      return {
        client,
        send: (value) =>
          client.publishAsync(`devices/${id}/telemetry`, JSON.stringify({ value }), { qos: 1 }),
      }
    }

    const pumpModel = 'dtmi:com:example:SharedPump;1'
    const hot = { '>': [{ var: 'temperature' }, 80] }
    const strained = { and: [{ '>': [{ var: 'temperature' }, 60] }, { '>': [{ var: 'pressure' }, 3] }] }

    async function makePump(call: Call) {
      const organizationId = (await call('GET', '/v1/organizations')).body[0].id
      const measured = (name: string) => ({ '@type': 'Telemetry', name, schema: 'double' })
      const contents = [measured('temperature'), measured('pressure')]
      const definition = {
        '@context': 'dtmi:dtdl:context;3',
        '@id': pumpModel,
        '@type': 'Interface',
        contents,
      }
      await call('POST', '/v1/models', { organizationId, definition })
      keys = {}
      for (const id of ['thermometer', 'manometer']) {
        await call('POST', '/v1/providers/mqtt/clients', { id, displayName: id })
        keys[id] = (await call('GET', `/v1/providers/mqtt/clients/${id}/credentials`)).body.primaryKey
      }
      await call('POST', '/v1/assets', {
        id: 'pump',
        modelId: pumpModel,
        displayName: 'Pump',
        organizationId,
      })
      const bound = (name: string, client: string) => ({
        localEndpointId: `pump/-/telemetry/${name}`,
        remoteEndpointIds: [{ name: 'value', endpointId: `${client}/-/telemetry/value` }],
      })
      const endpointBindings = [bound('temperature', 'thermometer'), bound('pressure', 'manometer')]
      await call('POST', '/v1/assets/pump/bind', { endpointBindings })
      const alarmTrigger: string[] = []
      for (const [name, condition] of Object.entries({ Hot: hot, Strained: strained })) {
        const alarm = { name, entityTypeId: pumpModel, condition: JSON.stringify(condition) }
        alarmTrigger.push((await call('POST', '/v1/alarms', alarm)).body.id)
      }
      await call('POST', '/v1/notifications', {
        displayName: 'Tell us',
        trigger: { alarmTrigger },
        broadcast: true,
        organizationId,
        channels: {
          email: {
            active: true,
            from: 'gangway@example.com',
            subject: '{{alarmName}} now',
            template: '{{value}}',
          },
          sms: { active: false, template: '', from: '' },
        },
      })
    }

    interface Status {
      alarmStatusId: string
      alarmName: string
      state: string
      active: boolean
    }

    const openAt = async (call: Call): Promise<Status[]> => (await call('GET', '/v1/alarms/status')).body
    const statesAt = async (call: Call) =>
      Object.fromEntries((await openAt(call)).map(({ alarmName, state }) => [alarmName, state]))
    const acknowledgeAll = async (call: Call) => {
      for (const { alarmStatusId } of await openAt(call))
        await call('PUT', `/v1/alarms/status/acknowledge/${alarmStatusId}`)
    }

    /** Counts activations of each alarm and their mails. */
    async function counts() {
      const { rows } = await database.pool.query<{ alarm_name: string; count: number }>(
        'select alarm_name, count(*)::int as count from alarm_statuses group by alarm_name',
      )
      const countMails = (name: string) =>
        mail.mails.filter(({ text }) => text.includes(`Subject: ${name} now`)).length
      return {
        activations: Object.fromEntries(rows.map(({ alarm_name, count }) => [alarm_name, count])),
        mails: Object.fromEntries(rows.map(({ alarm_name }) => [alarm_name, countMails(alarm_name)])),
      }
    }

    const publish = (hotness: number, strain: number) =>
      Promise.all([temperature.send(hotness), pressure.send(strain)])

    test(`${ROUNDS} times both devices publish at one moment: each alarm activates once, is told of once, and ends`, async () => {
      await publish(20, 1)
      for (let round = 0; round < ROUNDS; round++) {
        const [here, there] = round % 2 === 0 ? calls : calls.toReversed()
        await publish(90, 4)
        const active = 'active_unacknowledged'
        await expect.poll(() => statesAt(here!)).toEqual({ Hot: active, Strained: active })
        await publish(20, 1)
        const inactive = 'inactive_unacknowledged'
        await expect.poll(() => statesAt(here!)).toEqual({ Hot: inactive, Strained: inactive })
        // A state that one server shows is known to the other.
        await acknowledgeAll(here!)
        expect(await statesAt(there!)).toEqual({})
      }
      const each = { Hot: ROUNDS, Strained: ROUNDS }
      await expect.poll(counts).toEqual({ activations: each, mails: each })
    })

    test('both nodes publish without waiting for each other, and the final state follows the last values', async () => {
      const values = (highs: number[]) =>
        Array.from({ length: 8 }, () => highs[Math.floor(Math.random() * highs.length)]!)
      const sendAll = async (device: Device, all: number[]) => {
        for (const value of all) await device.send(value)
        return all.at(-1)!
      }
      for (let storm = 0; storm < STORMS; storm++) {
        const last = await Promise.all([
          sendAll(temperature, values([20, 70, 90])),
          sendAll(pressure, values([1, 4])),
        ])
        const holds = { Hot: last[0] > 80, Strained: last[0] > 60 && last[1] > 3 }
        await expect
          .poll(async () => {
            const open = await openAt(calls[storm % 2]!)
            return (['Hot', 'Strained'] as const).filter((name) => {
              const status = open.find(({ alarmName }) => alarmName === name)
              // An inactive status stays inactive until it is acknowledged. [docs/alarms#states]
              return holds[name] ? status === undefined : status?.active
            })
          })
          .toEqual([])
        await publish(20, 1)
        await expect.poll(async () => (await openAt(calls[0]!)).some(({ active }) => active)).toBe(false)
        await acknowledgeAll(calls[1]!)
      }
      expect(await statesAt(calls[0]!)).toEqual({})
      await expect
        .poll(async () => {
          const { activations, mails } = await counts()
          return Object.entries(activations).filter(([name, count]) => mails[name] !== count)
        })
        .toEqual([])
    })

    test('if the node that stored an activation is killed before it notified anybody, the other node notifies once', async () => {
      const before = (await counts()).mails.Hot!
      mail.refuses = true
      await temperature.send(90)
      expect(await statesAt(calls[1]!)).toEqual({ Hot: 'active_unacknowledged' })
      await servers[0]!.kill('SIGKILL')
      await temperature.client.endAsync(true)
      mail.refuses = false
      const after = async () => (await counts()).mails.Hot! - before
      // Failed jobs are retried after some seconds; jobs of the killed server are released when the other has noticed.
      const isTold = async () => {
        await database.pool.query('update graphile_worker._private_jobs set run_at = now()')
        return after()
      }
      await expect.poll(isTold, { interval: 500 }).toBe(1)
      await servers[0]!.start()

      // An acknowledgement at the restarted server has reached the other one when the device connects there.
      await acknowledgeAll(calls[0]!)
      temperature = await connect(servers[1]!, 'thermometer')
      await temperature.send(20)
      expect(await statesAt(calls[0]!)).toEqual({})
      expect(await after()).toBe(1)

      // A request at one server reaches a device of the other.
      temperature.client.on('message', (topic, question) => {
        const { correlationId, payload } = JSON.parse(`${question}`)
        const answerTopic = topic.replace('invoke', `response/${correlationId}`)
        void temperature.client.publishAsync(answerTopic, JSON.stringify({ status: 200, payload }), {
          qos: 1,
        })
      })
      await temperature.client.subscribeAsync('devices/thermometer/methods/+/invoke', { qos: 1 })
      const methods = '/v1/providers/mqtt/clients/thermometer/methods'
      const { body } = await calls[0]!('POST', methods, { method: 'blink', payload: { times: 3 } })
      expect(body).toEqual({ status: 200, payload: { times: 3 } })

      const { rows } = await database.pool.query(
        `select count(*)::int as left from graphile_worker.jobs where task_identifier = any($1)`,
        [[NOTIFY, DELIVER]],
      )
      expect(rows[0].left).toBe(0)
      // A delivery that either server tried while the mail server refused it is logged, as it should be.
      const isError = (line: string) => /"level":(50|60)/.test(line) && !line.includes('451 not now')
      for (const server of servers) expect(server.output().split('\n').filter(isError)).toEqual([])
    })
  },
)
