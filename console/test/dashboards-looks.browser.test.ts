import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeAssets } from './harness/assets.mjs'
import { everyKind, everyPart, makeDashboard, sendTemperature } from './harness/dashboards.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('appearance of the dashboards', () => {
  let world: TestConsole
  let paths: string[]
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeAssets(world.api)
    await sendTemperature(world, 71.5)
    const other = await makeDashboard(world, { displayName: hostileNames[2] })
    const all = await makeDashboard(world, { displayName: hostileNames[0], data: everyKind(other) })
    const parts = await makeDashboard(world, { displayName: 'Parts', data: await everyPart(world) })
    const one = `/dashboards/${all}`
    paths = [
      '/dashboards',
      one,
      `/dashboards/${other}`,
      `${one}/edit`,
      `${one}/edit?widget=gauge`,
      `${one}/edit?view=json`,
      `/dashboards/${parts}`,
      `/dashboards/${parts}?tab=two`,
      `/dashboards/${parts}/edit?widget=plan&tab=two`,
      `/dashboards/${parts}/edit?widget=world&tab=two`,
      `/dashboards/${parts}/edit`,
      '/assets/pump-7?tab=dashboards',
    ]
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/dashboards')
    expect(await findAppearanceProblemsOf(guarded, paths)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
