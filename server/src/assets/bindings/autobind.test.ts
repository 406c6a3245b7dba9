import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makeModel, makePumpModel, pumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn, makeClient } from '../../../test/harness/bindings.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

/** One of everything that autobind could bind, with schemas that fit a pump and with others. */
const gaugeModel = 'dtmi:com:example:Gauge;1'
const gaugeContents = [
  { '@type': 'Telemetry', name: 'temperature', schema: 'integer' },
  { '@type': 'Telemetry', name: 'pressure', schema: 'string' },
  { '@type': 'Telemetry', name: 'serial', schema: 'string' },
  { '@type': 'Property', name: 'target', schema: 'double' },
  { '@type': 'Command', name: 'start', request: { name: 'other', schema: 'double' } },
]

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeModel(platform, gaugeModel, gaugeContents)
  for (const id of ['dev', 'dev2']) await makeClient(platform, id)
  await makeImportProvider(platform)
  await makeClient(platform, 'file', { providerId: 'files' })
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
async function newAsset(modelId = pumpModel) {
  const id = `asset-${++made}`
  await insertAsset(platform, id, { modelId })
  return id
}

const pumpKeys = [
  '-/command/start',
  '-/property/serial',
  '-/property/target',
  '-/telemetry/pressure',
  '-/telemetry/running',
  '-/telemetry/status',
  '-/telemetry/temperature',
  'motor/command/brake',
  'motor/property/limit',
  'motor/telemetry/rpm',
]
const allFrom = (id: string, remote: string, keys = pumpKeys) =>
  Object.fromEntries(keys.map((key) => [`${id}/${key}`, [`${remote}/${key}`]]))

test('a client that has not sent anything is bound to every endpoint of the asset', async () => {
  const id = await newAsset()
  const answer = await bind(platform, id, { autobindRemoteInstanceIds: ['dev'] })
  expect(boundIn(answer)).toEqual(allFrom(id, 'dev'))
  expect(answer.body.unboundEndpointIds).toEqual([])
  expect(answer.body.bindings[0]).toEqual({
    localEndpointId: `${id}/-/command/start`,
    remoteEndpointIds: [{ name: 'value', endpointId: 'dev/-/command/start' }],
    bindingType: 'default',
    transform: null,
    inverseTransform: null,
    origin: 'autobind',
  })
})

test('a client that only delivers data is not bound to commands', async () => {
  const id = await newAsset()
  const answer = await bind(platform, id, { autobindRemoteInstanceIds: ['file'] })
  expect(answer.body.unboundEndpointIds).toEqual([`${id}/-/command/start`, `${id}/motor/command/brake`])
})

test('an asset is bound by equal component, kind and name where the schemas fit', async () => {
  const [pump, gauge, other] = [await newAsset(), await newAsset(gaugeModel), await newAsset()]
  const fromGauge = await bind(platform, pump, { autobindRemoteInstanceIds: [gauge] })
  expect(boundIn(fromGauge)).toEqual(allFrom(pump, gauge, ['-/command/start', '-/telemetry/temperature']))
  // In the other direction a double does not fit an integer, and a read-only property is bound to a writable one.
  const [gauge2] = [await newAsset(gaugeModel)]
  const fromPump = await bind(platform, gauge2, { autobindRemoteInstanceIds: [other] })
  expect(boundIn(fromPump)).toEqual(allFrom(gauge2, other, ['-/command/start', '-/property/target']))
  const fromAnother = await bind(platform, await newAsset(), { autobindRemoteInstanceIds: [other] })
  expect(fromAnother.body.unboundEndpointIds).toEqual([])
})

test('it binds unbound endpoints that are not ignored, in the given order; existing bindings stay', async () => {
  const [id, gauge] = [await newAsset(), await newAsset(gaugeModel)]
  const [explicit, before] = [`${id}/-/telemetry/status`, `${id}/-/telemetry/running`]
  await bind(platform, id, { endpointBindings: [binding(before, 'dev2/-/telemetry/was')] })
  const answer = await bind(platform, id, {
    ignoreEndpointsIds: [`${id}/-/property/serial`],
    endpointBindings: [binding(explicit, 'dev2/-/telemetry/is')],
    autobindRemoteInstanceIds: [gauge, 'dev', 'dev2'],
  })
  const { [`${id}/-/property/serial`]: _ignored, ...expected } = {
    ...allFrom(id, 'dev'),
    ...allFrom(id, gauge, ['-/command/start', '-/telemetry/temperature']),
    [explicit]: ['dev2/-/telemetry/is'],
    [before]: ['dev2/-/telemetry/was'],
  }
  expect(boundIn(answer)).toEqual(expected)
  // A repetition has nothing left to do.
  const again = await bind(platform, id, { autobindRemoteInstanceIds: ['dev2', 'dev'] })
  expect(again.body).toEqual(answer.body)
})

test('autobind may bind endpoints that the same request unbinds', async () => {
  const id = await newAsset()
  const local = `${id}/-/telemetry/status`
  await bind(platform, id, { endpointBindings: [binding(local, 'dev2/-/telemetry/x')] })
  const answer = await bind(platform, id, {
    endpointBindings: [binding(local, {})],
    autobindRemoteInstanceIds: ['dev'],
  })
  expect(boundIn(answer)).toMatchObject({ [local]: ['dev/-/telemetry/status'] })
})
