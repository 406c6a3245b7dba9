import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'
import { makeModels } from './harness/models.mjs'

const bindings = '/assets/pump-7/bindings'
const paths = [
  bindings,
  `${bindings}/-/telemetry/running`,
  `${bindings}/-/property/speed`,
  `${bindings}/-/telemetry/temperature?tab=json`,
  '/devices/plant/pump-0000?tab=bindings',
]

describe.skipIf(!hasBrowser())('appearance of the binding pages', () => {
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

  test('hostile names are shown as text', async () => {
    await using guarded = await world.openSignedIn('/assets/hostile/bindings', variants[2])
    const heading = guarded.page.getByRole('heading', { level: 1 })
    await expect.poll(() => heading.textContent()).toContain(hostileNames[0])
    expect(guarded.problems).toEqual([])
  })
})
