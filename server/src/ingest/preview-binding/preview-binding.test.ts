import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'
import type { Device } from '../message.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
let [asset, client] = ['', '']
let device: Device
beforeEach(async () => {
  client = `sensor-${++made}`
  asset = `pump-${made}`
  await makeClient(platform, client)
  await insertAsset(platform, asset)
  device = await findDevice(platform, client)
})

let packetId = 0
const send = (payload: object, kind: 'telemetry' | 'reported' = 'telemetry') =>
  new Promise<void>((resolve, reject) =>
    platform.parts.ingest[kind](makeMessage(device, payload, { packetId: ++packetId }), (error) =>
      error ? reject(error) : resolve(),
    ),
  )

const doubled = { '*': [{ var: 'x' }, 2] }
const local = (key = 'telemetry/temperature') => `${asset}/-/${key}`
const remote = (key = 'telemetry/t') => `${client}/-/${key}`
const bound = (fields: object = {}) => binding(local(), remote(), fields)
const preview = (body: object, options?: { token: string }) =>
  platform.post(`/v1/assets/${asset}/bindings/preview`, body, options)

test('a transform runs on the last value of the client, and nothing is stored [docs/assets#preview]', async () => {
  await send({ t: 21 })
  const { status, body } = await preview({ binding: bound({ transform: doubled }) })
  expect(status).toBe(200)
  expect(body).toEqual({
    values: [{ name: 'x', endpointId: remote(), value: 21, time: expect.any(String) }],
    outcome: 'stored',
    result: 42,
    message: null,
    steps: expect.any(Number),
    outgoing: null,
  })
  expect(body.steps).toBeGreaterThan(0)
  expect((await platform.get(`/v1/assets/${asset}/bindings`)).body.bindings).toEqual([])
  const series = platform.ctx.db.selectFrom('series').select('name').where('owner_id', '=', asset)
  expect(await series.execute()).toEqual([])
})

test('a signal bound to an asset has its last value: from the asset if it has no transform, otherwise from memory', async () => {
  await bind(platform, asset, { endpointBindings: [bound()] })
  await send({ t: 7 })
  const withTransform = { binding: bound({ transform: doubled }) }
  expect((await preview(withTransform)).body).toMatchObject({ result: 14, values: [{ value: 7 }] })
  await bind(platform, asset, { endpointBindings: [bound({ transform: doubled })] })
  await send({ t: 8 })
  expect((await preview(withTransform)).body).toMatchObject({ result: 16, values: [{ value: 8 }] })
})

test('given values replace the last ones and have no time', async () => {
  await send({ t: 21 })
  const { body } = await preview({ binding: bound({ transform: doubled }), values: { x: 5 } })
  expect(body).toMatchObject({ outcome: 'stored', result: 10, values: [{ value: 5, time: null }] })
})

test.each([
  ['a remote without a value', bound, {}, 'missing_value', /^the remote x has no value yet$/],
  ['text in a calculation', () => bound({ transform: doubled }), { x: 'warm' }, 'failed', /the transform/],
  ['a value that does not fit', bound, { x: 'warm' }, 'failed', /"warm" does not fit the schema double/],
  ['a result of null', () => bound({ transform: { if: [false, 1] } }), { x: 1 }, 'no_value', /null/],
  [
    'too much work',
    () =>
      bound({ transform: { reduce: [{ var: 'x' }, { '+': [{ var: 'current' }, { max: [1, 2, 3] }] }, 0] } }),
    { x: Array.from({ length: 50_000 }, () => 1) },
    'failed',
    /100000 steps/,
  ],
])('%s is the outcome, as it would be in ingest', async (_what, makeBinding, values, outcome, message) => {
  const { status, body } = await preview({ binding: makeBinding(), values })
  expect(status).toBe(200)
  expect(body).toMatchObject({ outcome, result: null, message: expect.stringMatching(message) })
})

test('a transform over several remotes uses the last value of each', async () => {
  const transform = { '-': [{ var: 'out' }, { var: 'in' }] }
  const several = binding(
    local('telemetry/pressure'),
    { in: remote('telemetry/in'), out: remote('telemetry/out') },
    { transform },
  )
  await send({ in: 3 })
  expect((await preview({ binding: several })).body).toMatchObject({
    outcome: 'missing_value',
    message: 'the remote out has no value yet',
    values: [
      { name: 'in', value: 3 },
      { name: 'out', value: null, time: null },
    ],
  })
  await send({ out: 10 })
  expect((await preview({ binding: several })).body).toMatchObject({ outcome: 'stored', result: 7 })
})

test('a property has the last reported value', async () => {
  await send({ serial: 'a7' }, 'reported')
  const property = binding(local('property/serial'), remote('property/serial'), {
    transform: { cat: ['#', { var: 'x' }] },
  })
  expect((await preview({ binding: property })).body).toMatchObject({ outcome: 'stored', result: '#a7' })
})

const inverse = { '*': [{ var: 'value' }, 10] }
const target = (remotes: string | Record<string, string>, inverseTransform: object | undefined = inverse) =>
  binding(local('property/target'), remotes, { inverseTransform })

test('the inverse transform shows what each remote would get, and nothing is sent [docs/assets#preview]', async () => {
  const single = { binding: target(remote('property/p')), outgoingValue: 4 }
  const { status, body } = await preview(single)
  expect(status).toBe(200)
  expect(body.outgoing).toEqual({
    values: [{ name: 'x', endpointId: remote('property/p'), value: 40 }],
    message: null,
  })
  // A list is divided in the order of the remotes; the last one gets nothing.
  const split = { map: [[0, 1], { '+': [{ var: '' }, 4] }] }
  const remotes = { low: remote('property/l'), high: remote('property/h'), rest: remote('property/r') }
  const several = await preview({ binding: target(remotes, split), outgoingValue: 4 })
  expect(
    several.body.outgoing.values.map(({ name, value }: Record<string, unknown>) => [name, value]),
  ).toEqual([
    ['low', 4],
    ['high', 5],
  ])
  const plain = await preview({
    binding: binding(local('property/target'), remote('property/p')),
    outgoingValue: 4,
  })
  expect(plain.body.outgoing).toMatchObject({ values: [{ value: 4 }] })
})

test.each([
  ['a value that does not fit the model', inverse, 'warm', /does not fit the schema/],
  ['a calculation that fails', { '/': [{ var: 'value' }, 0] }, 4, /the inverseTransform/],
])('%s has no outgoing values, with the reason', async (_what, inverseTransform, outgoingValue, message) => {
  const { body } = await preview({ binding: target(remote('property/p'), inverseTransform), outgoingValue })
  expect(body.outgoing).toEqual({ values: [], message: expect.stringMatching(message) })
})

test('a command has a preview of what goes out', async () => {
  const command = binding(local('command/start'), remote('command/start'), { inverseTransform: inverse })
  const { status, body } = await preview({ binding: command, outgoingValue: 2 })
  expect([status, body.outcome, body.values]).toEqual([200, 'no_value', []])
  expect(body.outgoing).toMatchObject({ values: [{ endpointId: remote('command/start'), value: 20 }] })
})

test.each([
  ['an unknown operator', () => ({ binding: bound({ transform: { nope: 1 } }) }), 'binding.transform'],
  ['an unknown variable', () => ({ binding: bound({ transform: { var: 'y' } }) }), 'binding.transform'],
  [
    'an unknown endpoint',
    () => ({ binding: binding(local('telemetry/nope'), remote()) }),
    'binding.localEndpointId',
  ],
  [
    'a command',
    () => ({ binding: binding(local('command/start'), remote('command/start')) }),
    'binding.localEndpointId',
  ],
  [
    'an unknown client',
    () => ({ binding: binding(local(), 'nobody/-/telemetry/t') }),
    'binding.remoteEndpointIds.0.endpointId',
  ],
  ['no remote', () => ({ binding: binding(local(), {}) }), 'binding.remoteEndpointIds'],
  ['an outgoing value of telemetry', () => ({ binding: bound(), outgoingValue: 1 }), 'outgoingValue'],
  ['a value without a remote', () => ({ binding: bound(), values: { y: 1 } }), 'values.y'],
])('%s is a validation error with its path', async (_what, makeBody, path) => {
  const { status, body } = await preview(makeBody())
  expect([status, body.details.issues[0].path]).toEqual([400, path])
})

test('a preview needs manage on the asset, and view on the remotes', async () => {
  const { id, token } = await makeUser(platform)
  const body = { binding: bound(), values: { x: 1 } }
  await relate(platform, `${id} viewer asset:${asset}`)
  expect((await preview(body, { token })).body.details.required).toMatchObject({ permission: 'manage' })
  await relate(platform, `${id} manager asset:${asset}`)
  expect((await preview(body, { token })).body.details.required).toEqual({
    permission: 'view',
    resourceType: 'provider_client',
    resourceId: client,
  })
  await relate(platform, `${id} viewer provider_client:${client}`)
  expect((await preview(body, { token })).body.result).toBe(1)
})
