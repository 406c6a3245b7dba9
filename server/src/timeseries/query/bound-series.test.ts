/** An answer about a provider client names the assets under which its values are kept. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, insertBinding, makePumpModel } from '../../../test/harness/assets.ts'
import { makeClient } from '../../../test/harness/bindings.ts'
import { type Platform, type RequestOptions, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  await makeClient(platform, 'device')
  for (const id of ['hall', 'roof']) await insertAsset(platform, id)
  await insertBinding(platform, 'hall/-/telemetry/temperature', ['device/-/telemetry/celsius'])
  await insertBinding(platform, 'roof/motor/telemetry/rpm', ['device/-/telemetry/celsius'])
  await insertBinding(platform, 'roof/-/property/serial', ['device/motor/property/number'])
})
afterAll(() => platform[Symbol.asyncDispose]())

const last = (assetId: string | null, options: RequestOptions = {}) =>
  platform.post(
    '/v1/timeseries/get/last',
    {
      items: [
        { assetId, componentId: null, timeseries: [{ name: 'celsius', type: 'telemetry' }] },
        { assetId, componentId: 'motor', timeseries: [{ name: 'number', type: 'propertyReported' }] },
      ],
    },
    options,
  )

const inHall = {
  remoteEndpointId: 'device/-/telemetry/celsius',
  assetId: 'hall',
  componentId: null,
  timeseriesName: 'temperature',
  timeseriesType: 'telemetry',
}
const onRoof = { ...inHall, assetId: 'roof', componentId: 'motor', timeseriesName: 'rpm' }
const serial = {
  remoteEndpointId: 'device/motor/property/number',
  assetId: 'roof',
  componentId: null,
  timeseriesName: 'serial',
  timeseriesType: 'propertyReported',
}

test('latest values of a bound client name every asset that has bound the signal', async () => {
  const { status, body } = await last('device')
  expect(status).toBe(200)
  expect(body).toEqual({ items: [], keptUnder: [inHall, onRoof, serial] })
})

test('the history of a bound client names the same assets, for every component', async () => {
  const { body } = await platform.post('/v1/timeseries/get', {
    assetId: 'device',
    timeseriesName: ['celsius', 'number', 'unbound'],
    searchSpanFrom: '2026-01-01T00:00:00Z',
    searchSpanTo: '2026-01-02T00:00:00Z',
  })
  expect(body.keptUnder).toEqual([inHall, onRoof, serial])
})

test('unbound signals, assets and requests without an owner have no such names', async () => {
  await makeClient(platform, 'loose')
  for (const assetId of ['loose', 'hall', null]) expect((await last(assetId)).body).toEqual({ items: [] })
  const { body } = await platform.post('/v1/timeseries/get/last', {
    items: [
      { assetId: 'device', componentId: 'motor', timeseries: [{ name: 'celsius', type: 'telemetry' }] },
    ],
  })
  expect(body).toEqual({ items: [] })
})

test('only assets that the caller may view are named', async () => {
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer provider_client:device`)
  expect((await last('device', { token })).body).toEqual({ items: [] })
  await relate(platform, `${id} viewer asset:hall`)
  expect((await last('device', { token })).body).toEqual({ items: [], keptUnder: [inHall] })
})

test('a client of the same id in another tenant is not named', async () => {
  const other = await platform.makeTenant('other')
  const here = { organizationId: platform.organizationId, token: platform.adminToken }
  for (const { organizationId, token } of [here, other]) {
    const provider = { type: 'import', displayName: 'Files', organizationId }
    await platform.put('/v1/providers/files', provider, { token })
    const client = { id: 'meter', displayName: 'Meter' }
    const made = await platform.post('/v1/providers/files/clients', client, { token })
    expect(made.status).toBe(201)
  }
  await insertBinding(platform, 'hall/-/telemetry/pressure', ['meter/-/telemetry/celsius'])
  expect((await last('meter')).body.keptUnder).toMatchObject([{ timeseriesName: 'pressure' }])
  expect((await last('meter', other)).body).toEqual({ items: [] })
})
