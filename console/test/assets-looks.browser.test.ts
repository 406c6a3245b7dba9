import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('appearance of the asset list', () => {
  let world: TestConsole
  let halls: [string, string]
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    ;({ halls } = await makeAssets(world.api))
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn(`/assets?at=node:${halls[1]}`)
    const { page } = guarded
    const found: string[] = []
    const look = async (what: string) => {
      await untilSettled(page)
      found.push(...(await findAppearanceProblems(page, what)))
    }
    for (const name of hostileNames)
      await page.getByRole('grid').getByTitle(name, { exact: true }).first().waitFor()
    await look('list')
    await page.getByRole('button', { name: 'Create asset' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Choose place' }).click()
    await page.getByRole('dialog').getByRole('treeitem', { name: 'Plant North' }).waitFor()
    await look('create')
    await guarded.open('/assets/hostile-asset-2')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Move' }).click()
    await page.getByRole('dialog').getByRole('treeitem', { name: 'Plant North' }).click()
    await page.getByRole('region', { name: 'What changes for whom' }).waitFor()
    await look('move')
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
