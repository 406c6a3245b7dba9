import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedWorld, startSimulatedWorld } from '../../../test/harness/simulated.ts'

let world: SimulatedWorld
let path: string
let devices: string[]
beforeAll(async () => {
  world = await startSimulatedWorld()
  const made = await world.make({ count: 3 })
  path = made.path
  devices = [1, 2, 3].map((number) => `${made.deviceIdPrefix}000${number}`)
  await world.platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.acknowledged >= 3)
})
afterAll(() => world[Symbol.asyncDispose]())

const fault = (fields: object) => world.platform.post(`${path}/faults`, { durationSeconds: 1, ...fields })
const countMessages = async (device: string) => (await world.listValues('client', device)).length
/** Waits until this device has sent that many more messages. */
async function untilHeard(device: string, more: number) {
  for (const before = await countMessages(device); (await countMessages(device)) < before + more;)
    await sleep(20)
}
const acknowledged = async () => (await world.platform.get(path)).body.progress.acknowledged

test('silence: the device is connected and sends nothing; the others continue', async () => {
  const [silent, other] = [devices[0]!, devices[1]!]
  const { status, body } = await fault({ kind: 'silence', deviceIds: [silent], durationSeconds: 60 })
  expect(status).toBe(202)
  expect(body).toEqual({
    kind: 'silence',
    deviceIds: [silent],
    since: expect.any(String),
    until: expect.any(String),
  })
  expect(Date.parse(body.until) - Date.parse(body.since)).toBe(60_000)
  expect((await world.platform.get(path)).body.faults).toEqual([body])
  // A message that was in flight when the fault began.
  await untilHeard(other, 1)
  const before = await countMessages(silent)
  await untilHeard(other, 1)
  expect(await countMessages(silent)).toBe(before)
  expect((await world.platform.get(path)).body.progress.connected).toBe(3)
})

test('spikes: numbers are sometimes multiplied by a factor', async () => {
  const device = devices[1]!
  await fault({ kind: 'spikes', deviceIds: [device], factor: 3, durationSeconds: 60 })
  await untilHeard(device, 2)
  const values = await world.listValues('client', device)
  const spikes = values.filter((value) => value === 21)
  expect(spikes.length).toBeGreaterThan(0)
  expect(spikes.length).toBeLessThan(values.length / 2)
  expect(new Set(values)).toEqual(new Set([7, 21]))
})

test('offline: the connection is lost without DISCONNECT, and restored after the fault', async () => {
  const device = devices[2]!
  await fault({ kind: 'offline', deviceIds: [device], durationSeconds: 4 })
  await world.until(path, ({ progress }) => progress.connected === 2)
  const client = `/v1/providers/mqtt/clients/${device}`
  await world.until(client, ({ connection }) => !connection.connected)
  expect((await world.platform.get(client)).body.connection.disconnectReason).toBe('connection_lost')
  await world.until(path, ({ progress }) => progress.connected === 3)
  const before = await acknowledged()
  await world.until(path, ({ progress }) => progress.acknowledged > before)
})

test('a number of devices is chosen at random', async () => {
  const { body } = await fault({ kind: 'silence', deviceCount: 2, durationSeconds: 0.1 })
  expect(new Set(body.deviceIds).size).toBe(2)
  expect(devices).toEqual(expect.arrayContaining(body.deviceIds))
})

test.each([
  ['a device that it has not', { kind: 'silence', deviceIds: ['stranger'] }, 'deviceIds.0'],
  ['no devices', { kind: 'silence' }, 'deviceIds'],
  ['devices and a count', { kind: 'silence', deviceCount: 1, deviceIds: ['x'] }, 'deviceIds'],
  ['more devices than it has', { kind: 'silence', deviceCount: 4 }, 'deviceCount'],
  ['an unknown kind', { kind: 'fire', deviceCount: 1 }, 'kind'],
  ['no time', { kind: 'silence', deviceCount: 1, durationSeconds: 0 }, 'durationSeconds'],
  ['a factor that is text', { kind: 'spikes', deviceCount: 1, factor: '3' }, 'factor'],
])('%s is refused', async (_what, fields, at) => {
  const { status, body } = await fault(fields)
  expect([status, body.error]).toEqual([400, 'validation_error'])
  expect(body.details.issues[0].path).toBe(at)
})

test('the audit log names the simulation at its start, its stop and each fault', async () => {
  const made = await world.make({ displayName: 'Wells', count: 1 })
  await world.platform.post(`${made.path}/start`)
  await world.until(made.path, ({ state }) => state === 'running')
  const { body } = await world.platform.post(`${made.path}/faults`, {
    kind: 'silence',
    deviceCount: 1,
    durationSeconds: 60,
  })
  await world.platform.post(`${made.path}/stop`)
  await world.until(made.path, ({ state }) => state === 'stopped')
  const { body: entries } = await world.platform.get(`/v1/audit-log?resourceId=${made.id}`)
  const displayName = 'Wells'
  expect(entries).toMatchObject([
    { action: 'stop', before: { displayName, state: 'running' }, after: { displayName, state: 'stopping' } },
    { action: 'fault', before: { displayName }, after: { displayName, ...body } },
    { action: 'start', before: { displayName, state: 'stopped' }, after: { displayName, state: 'starting' } },
    { action: 'create', before: null, after: { displayName } },
  ])
})

test('a stopped simulation has no faults', async () => {
  await world.platform.post(`${path}/stop`)
  await world.until(path, ({ state }) => state === 'stopped')
  expect((await fault({ kind: 'silence', deviceCount: 1 })).status).toBe(409)
  expect((await world.platform.get(path)).body.faults).toEqual([])
})
