import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { makeDevices } from './harness/fixtures.mjs'
import { makeModels, pumpModel } from './harness/models.mjs'

const pump = `/models/${encodeURIComponent(pumpModel)}`
const paths = [
  '/models',
  pump,
  `${pump}?tab=definition`,
  `${pump}?tab=versions`,
  `${pump}/edit`,
  '/models/create',
  `/models/${encodeURIComponent('dtmi:com:example:Hostile;1')}`,
]

describe.skipIf(!hasBrowser())('appearance of the model pages', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeModels(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/models')
    expect(await findAppearanceProblemsOf(guarded, paths)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
