import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, makeClient } from '../../../test/harness/bindings.ts'
import { makeImportProvider } from '../../../test/harness/import-provider.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeImportProvider(platform)
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

async function findReported(id: string) {
  const { rows } = await platform.ctx.pool.query(
    'select t.reported from assets a left join asset_twins t on t.asset_number = a.number where a.id = $1',
    [id],
  )
  return rows[0].reported as unknown
}

const report = (id: string, state: object) =>
  platform.post(`/v1/providers/files/clients/${id}/reported`, JSON.stringify(state))

test('a property that a device has reported before has its value as soon as it is bound', async () => {
  await makeClient(platform, 'early', { providerId: 'files' })
  await report('early', { sn: 'A7', max: 90, engine: { limit: 8 } })
  await insertAsset(platform, 'pump')
  await insertAsset(platform, 'twin')
  const bound = await bind(platform, 'pump', {
    endpointBindings: [
      binding('pump/-/property/serial', 'early/-/property/sn'),
      binding('pump/motor/property/limit', 'early/engine/property/limit', {
        transform: { '*': [{ var: 'value' }, 10] },
      }),
      // Values that do not fit the schema or are not reported yet: the first matching report stores them.
      binding('pump/-/property/target', 'early/-/property/sn'),
    ],
  })
  expect(bound.status).toBe(200)
  expect(await findReported('pump')).toEqual({ serial: 'A7', motor: { limit: 80 } })
  await bind(platform, 'twin', {
    endpointBindings: [binding('twin/motor/property/limit', 'pump/motor/property/limit')],
  })
  expect(await findReported('twin')).toEqual({ motor: { limit: 80 } })
})

test('bindings that do not change keep their values', async () => {
  await makeClient(platform, 'late', { providerId: 'files' })
  await insertAsset(platform, 'still')
  await bind(platform, 'still', {
    endpointBindings: [binding('still/-/property/serial', 'late/-/property/sn')],
  })
  expect(await findReported('still')).toBe(null)
  await report('late', { sn: 'B1' })
  await bind(platform, 'still', {
    endpointBindings: [binding('still/-/telemetry/temperature', 'late/-/telemetry/t')],
  })
  expect(await findReported('still')).toEqual({ serial: 'B1' })
})
