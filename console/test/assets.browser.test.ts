import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAsset, makeAssets, makeNode } from './harness/assets.mjs'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseFound } from './harness/editor.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

const password = 'correct horse battery staple'

describe.skipIf(!hasBrowser())('the tree and the list of assets', () => {
  let world: TestConsole
  let plant: string
  let halls: [string, string]
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    ;({ plant, halls } = await makeAssets(world.api))
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const treeItem = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })

  test('levels are loaded when they are opened with the keyboard, and the list shows the chosen place', async () => {
    await using guarded = await world.openSignedIn('/assets')
    const { page } = guarded
    await treeItem(page, 'Plant North').waitFor()
    await expect.poll(() => treeItem(page, 'Hall 1').count()).toBe(0)
    await page.getByRole('tree').focus()
    for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    await treeItem(page, 'Hall 1').waitFor()
    for (const name of [hostileNames[0]!, hostileNames[2]!]) await page.getByTitle(name).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^node:/)
    await page.goto(`${world.url}/console/assets?at=node:${halls[0]}`)
    await page.getByRole('row', { name: /Pump 7/ }).waitFor()
    await treeItem(page, 'Hall 1').waitFor()
    await expect.poll(() => treeItem(page, 'Hall 1').getAttribute('aria-selected')).toBe('true')
    await page.getByRole('row', { name: /Pump 7/ }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Pump 7' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('search and model filter the list, and nodes are found by name', async () => {
    await using guarded = await world.openSignedIn('/assets')
    const { page } = guarded
    await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('PUMP-7')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.reload()
    await page.getByRole('row', { name: /Pump 7/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Find a node' }).fill('all 2')
    await page.getByRole('list', { name: 'What was found' }).getByText('Hall 2').click()
    await page.getByTitle(hostileNames[3]!).first().waitFor()
    await page.getByRole('region', { name: 'The chosen place' }).getByText('Hall 2').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('an asset is created from a model at a place, renamed, and deleted after its id was typed', async () => {
    await using guarded = await world.openSignedIn(`/assets?at=node:${halls[1]}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Create asset' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Hall 2').waitFor()
    await dialog.getByLabel('Name').fill('Bürste №1')
    await dialog.getByRole('button', { name: 'Create asset' }).click()
    await dialog.getByText('Choose a model.').waitFor()
    await chooseFound(dialog.getByRole('combobox', { name: 'Model' }), 'Pump')
    await dialog.getByRole('textbox', { name: 'Id' }).fill('pump-7')
    await dialog.getByRole('button', { name: 'Create asset' }).click()
    await dialog
      .getByText(/There is an asset pump-7 already/)
      .first()
      .waitFor()
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Bürste №1')
    await dialog.getByRole('textbox', { name: 'Id' }).fill('')
    await dialog.getByRole('button', { name: 'Create asset' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bürste №1' }).waitFor()
    await page.getByRole('button', { name: 'Hall 2' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(hostileNames[1]!)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(hostileNames[1])
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete asset' }).click()
    const confirm = page.getByRole('dialog')
    await confirm.getByText('its place in the tree').waitFor()
    await confirm.getByRole('textbox').fill('burste-no1')
    await confirm.getByRole('button', { name: 'Delete asset' }).click()
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('an asset is moved from the menu after a preview of the changed access', async () => {
    const [north, south] = [await makeNode(world.api, 'North gate'), await makeNode(world.api, 'South gate')]
    await makeAsset(world.api, 'barrier', 'Barrier', north)
    const [loser, gainer] = [await makeUser(world, 'Lea Loser'), await makeUser(world, 'Gina Gainer')]
    await relate(world, loser, 'manager', north)
    await relate(world, gainer, 'viewer', south)
    await using guarded = await world.openSignedIn('/assets/barrier')
    const { page } = guarded
    await page.getByRole('button', { name: 'North gate' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Move' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox', { name: 'Find a node or an asset' }).fill('South')
    await dialog.getByRole('button', { name: 'South gate' }).click()
    const impact = dialog.getByRole('region', { name: 'What changes for whom' })
    await impact.getByText('One loses access').waitFor()
    await impact.getByText('Lea Loser').waitFor()
    await impact.getByText('view, manage, share').waitFor()
    await impact.getByText('Gina Gainer').waitFor()
    expect(await placesOf(world, 'barrier')).toEqual([north])
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'South gate' }).waitFor()
    expect(await placesOf(world, 'barrier')).toEqual([south])
    expect(guarded.problems).toEqual([])
  })

  test('rows are dragged onto a place of the tree, and a cycle is refused with its reason', async () => {
    const yard = await makeNode(world.api, 'Yard')
    await makeAsset(world.api, 'lamp', 'Lamp', yard)
    await using guarded = await world.openSignedIn(`/assets?at=node:${yard}`)
    const { page } = guarded
    const lamp = page.getByRole('grid').getByText('Lamp', { exact: true })
    await lamp.waitFor()
    await treeItem(page, 'Plant North').waitFor()
    // Rows would move during the drag if data were still loading.
    await untilSettled(page)
    await lamp.dragTo(treeItem(page, 'Plant North'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nobody gains or loses access.').waitFor()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => placesOf(world, 'lamp')).toEqual([plant])
    await page.getByRole('heading', { name: 'Nothing stands here yet' }).waitFor()
    await page.goto(`${world.url}/console/assets?at=node:${halls[0]}`)
    await treeItem(page, 'Hall 1').waitFor()
    await untilSettled(page)
    await treeItem(page, 'Plant North').dragTo(treeItem(page, 'Hall 1'))
    await dialog.getByText(/would contain itself/).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expect(guarded.problems).toEqual([])
  })

  test('a user without the manage permission sees why an asset cannot be moved', async () => {
    const email = 'watcher@example.com'
    const user = await makeUser(world, 'Watcher', email)
    await relate(world, user, 'viewer', plant)
    await using guarded = await world.openSignedIn('/assets/pump-7', undefined, { email, password })
    const { page } = guarded
    await page.getByRole('heading', { level: 1, name: 'Pump 7' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await expect.poll(() => page.getByRole('menuitem', { name: 'Move' }).isDisabled()).toBe(true)
    await guarded.open('/assets/no-such-asset')
    await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the palette finds assets', async () => {
    await using guarded = await world.openSignedIn('/')
    const { page } = guarded
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a page, device, asset or model' }).fill('pump-7')
    await page.getByRole('option', { name: /Pump 7/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Pump 7' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

async function makeUser(
  world: TestConsole,
  displayName: string,
  email = `${displayName.toLowerCase().replaceAll(' ', '.')}@example.com`,
) {
  const user = await world.api('POST', '/v1/users', { displayName, email, password })
  return user.id as string
}

const relate = (world: TestConsole, subjectId: string, relation: string, nodeId: string) =>
  world.api('POST', '/v1/relations', {
    subjectType: 'user',
    subjectId,
    relation,
    resourceType: 'node',
    resourceId: nodeId,
  })

async function placesOf(world: TestConsole, id: string): Promise<string[]> {
  const places: { path: { id: string }[] }[] = await world.api('GET', `/v1/tree/places?type=asset&id=${id}`)
  return places.map(({ path }) => path.at(-1)!.id)
}
