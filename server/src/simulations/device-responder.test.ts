import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePumpModel, pumpModel } from '../../test/harness/assets.ts'
import type { TestAnswer } from '../../test/harness/platform.ts'
import { type SimulatedWorld, startSimulatedWorld } from '../../test/harness/simulated.ts'

const device = 'obedient-0001'
const client = `/v1/providers/mqtt/clients/${device}`
const asset = `/v1/assets/${device}`

let world: SimulatedWorld
let platform: SimulatedWorld['platform']
let path: string
/** A method whose answer takes longer than its time-out. */
let asleep: Promise<TestAnswer>
beforeAll(async () => {
  world = await startSimulatedWorld()
  platform = world.platform
  await makePumpModel(platform)
  const made = await world.make({
    count: 1,
    deviceIdPrefix: 'obedient-',
    modelId: pumpModel,
    signals: [{ name: 'pressure', generator: 'constant', value: 7 }],
    methods: [
      { name: 'refuse', status: 409, payload: { reason: 'valve open' } },
      { name: 'nothing', status: 200, payload: null },
      { name: 'slow', status: 200, delaySeconds: 0.3 },
      { name: 'asleep', status: 200, delaySeconds: 600 },
      { name: 'motor.brake', status: 500, payload: ['worn'] },
    ],
  })
  path = made.path
  await platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.connected === 1)
  asleep = invoke({ method: 'asleep', timeoutSeconds: 5 })
})
afterAll(() => world[Symbol.asyncDispose]())

const invoke = (body: object) => platform.post(`${client}/methods`, body)
async function reported() {
  const { $version: _, ...properties } = (await platform.get(`${client}/properties/reported`)).body
  return properties
}
const desire = (properties: object) =>
  platform.put(`${client}/properties/desired`, { componentId: null, properties })

test('any method is answered with 200 and its payload; a configured one as configured', async () => {
  const answers = await Promise.all(
    [
      { method: 'reboot', payload: { delay: 5, deep: { list: [1, null, 'ü'] } } },
      { method: 'reboot' },
      { method: 'refuse', payload: { force: true } },
      { method: 'nothing', payload: { some: 'thing' } },
      { method: 'constructor', payload: { a: 1 } },
    ].map(invoke),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(answers.map(({ body }) => body)).toEqual([
    { status: 200, payload: { delay: 5, deep: { list: [1, null, 'ü'] } } },
    { status: 200, payload: null },
    { status: 409, payload: { reason: 'valve open' } },
    { status: 200, payload: null },
    { status: 200, payload: { a: 1 } },
  ])
})

test('a method with a delay is answered after it, and others meanwhile', async () => {
  const ended: string[] = []
  await Promise.all(
    ['slow', 'quick'].map(async (method) => {
      expect((await invoke({ method, payload: { of: method } })).body.payload).toEqual({ of: method })
      ended.push(method)
    }),
  )
  expect(ended).toEqual(['quick', 'slow'])
})

test('commands of its asset reach it, and their state follows its answer [docs/assets#command-states]', async () => {
  const outcome = async (command: string, body: object) => {
    const { status } = await platform.post(`${asset}/commands/${command}`, body)
    expect(status).toBeLessThan(300)
    const componentId = 'componentId' in body ? `?componentId=${body.componentId}` : ''
    return world.until(
      `${asset}/commands/${command}${componentId}`,
      (found) => !['queued', 'running'].includes(found.status),
    )
  }
  expect(await outcome('start', { payload: 5 })).toMatchObject({
    status: 'succeeded',
    responsePayload: 5,
  })
  expect(await outcome('brake', { componentId: 'motor' })).toMatchObject({
    status: 'failed',
    responsePayload: ['worn'],
  })
})

test('desired properties are reported, and removed when they are removed [docs/simulations#methods-and-properties]', async () => {
  await desire({ target: 4, motor: { limit: 7 }, mode: { fan: 'low', lamp: true } })
  await expect.poll(reported).toEqual({ target: 4, motor: { limit: 7 }, mode: { fan: 'low', lamp: true } })
  expect((await platform.get(`${asset}/properties/reported`)).body).toMatchObject({
    target: 4,
    motor: { limit: 7 },
  })
  await desire({ motor: null, mode: { lamp: null } })
  await expect.poll(reported).toEqual({ target: 4, mode: { fan: 'low' } })
  await platform.put(`${asset}/properties/desired`, { target: 9 })
  await expect.poll(reported).toEqual({ target: 9, mode: { fan: 'low' } })
})

test('a device that reconnects reports only changes', async () => {
  await platform.post(`${path}/faults`, { kind: 'offline', deviceIds: [device], durationSeconds: 3 })
  await world.until(path, ({ progress }) => progress.connected === 0)
  const version = async () =>
    (
      await platform.ctx.pool.query(
        `select reported_version from client_twins t join provider_clients c on c.number = t.client_number
         where c.id = $1`,
        [device],
      )
    ).rows[0].reported_version
  const before = await version()
  await desire({ target: 10 })
  await world.until(path, ({ progress }) => progress.connected === 1)
  await expect.poll(async () => (await reported()).target).toBe(10)
  expect(Number(await version())).toBe(Number(before) + 1)
})

test('a silent device applies desired properties, and reports them afterwards', async () => {
  const fault = { kind: 'silence', deviceIds: [device], durationSeconds: 5 }
  const { until } = (await platform.post(`${path}/faults`, fault)).body
  // The node receives the fault by a message.
  await world.until(path, ({ faults }) => faults.length === 1)
  await sleep(200)
  const before = await reported()
  await desire({ target: 11 })
  await sleep(300)
  const meanwhile = await reported()
  // On a busy machine the silence may have ended before.
  if (Date.now() < Date.parse(until)) expect(meanwhile).toEqual(before)
  await expect.poll(async () => (await reported()).target).toBe(11)
})

test("messages that are not the platform's have no effect", async () => {
  const { primaryKey } = (await platform.get(`${client}/credentials`)).body
  const other = await connectAsync(platform.ctx.endpoints.mqtt!, {
    clientId: 'another of it',
    username: device,
    password: primaryKey,
    reconnectPeriod: 0,
  })
  for (const payload of ['{', '[]', 'null', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`])
    for (const topic of ['methods/reboot/invoke', 'twin/desired'])
      await other.publishAsync(`devices/${device}/${topic}`, payload, { qos: 1 })
  await other.endAsync()
  expect((await invoke({ method: 'still', payload: { there: true } })).body).toEqual({
    status: 200,
    payload: { there: true },
  })
})

test('an answer after the time-out is device_timeout', async () => {
  expect(await asleep).toMatchObject({ status: 504, body: { error: 'device_timeout' } })
})
