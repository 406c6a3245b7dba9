import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled, variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAxeProblems, findOverflow } from './harness/find-axe-problems.ts'
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
]

describe.skipIf(!hasBrowser())('appearance of the model pages', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeModels(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(variants)('has no axe violations and no horizontal overflow: $name', async (variant) => {
    await using guarded = await world.openSignedIn('/models', variant)
    const found: Record<string, string[]> = {}
    for (const path of paths) {
      await guarded.open(path)
      await guarded.page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(guarded.page)
      found[path] = [...(await findAxeProblems(guarded.page)), ...(await findOverflow(guarded.page))]
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
