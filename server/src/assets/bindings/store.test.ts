import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, insertBinding, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { listBindings } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

test('bindings are read with their remotes in order', async () => {
  await makePumpModel(platform)
  await insertAsset(platform, 'a')
  await insertAsset(platform, 'b')
  const transform = { '+': [{ var: 'x' }, { var: 'y' }] }
  await insertBinding(
    platform,
    'a/-/telemetry/temperature',
    ['b/-/telemetry/temperature', 'b/motor/telemetry/rpm'],
    { transform, names: ['x', 'y'] },
  )
  expect(await listBindings(platform.ctx.db, 'default', 'a')).toEqual([
    expect.objectContaining({
      assetId: 'a',
      componentId: '',
      kind: 'telemetry',
      name: 'temperature',
      transform,
      inverseTransform: null,
      remotes: [
        {
          remoteName: 'x',
          instanceType: 'asset',
          instanceId: 'b',
          componentId: '',
          kind: 'telemetry',
          name: 'temperature',
        },
        {
          remoteName: 'y',
          instanceType: 'asset',
          instanceId: 'b',
          componentId: 'motor',
          kind: 'telemetry',
          name: 'rpm',
        },
      ],
    }),
  ])
  expect(await listBindings(platform.ctx.db, 'another', 'a')).toEqual([])
})
