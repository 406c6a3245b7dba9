import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { findOverflow } from './harness/find-axe-problems.ts'
import { hostileNames, makeDevices, sendValues } from './harness/fixtures.mjs'

const device = '/devices/plant/pump-0000'

describe.skipIf(!hasBrowser())('the shell and its pages', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await guarded.open('/')
    await page.getByLabel('Email').waitFor()
    expect(await findAppearanceProblems(page, 'sign-in')).toEqual([])
    await using signedIn = await world.openSignedIn('/devices?provider=plant')
    const paths = ['/devices?provider=plant', '/devices?provider=mqtt', device, '/nowhere']
    expect(await findAppearanceProblemsOf(signedIn, paths)).toEqual([])
    expect([...guarded.problems, ...signedIn.problems]).toEqual([])
  })

  test('hostile names are text, and widen nothing', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=plant', variants[2])
    const { page } = guarded
    await page.getByRole('row').nth(1).waitFor()
    for (const name of hostileNames)
      await expect.poll(() => page.getByTitle(name, { exact: true }).count()).toBe(1)
    await expect.poll(() => findOverflow(page)).toEqual([])
    await page.getByTitle(hostileNames[0]!, { exact: true }).click()
    await page.getByRole('tab', { name: 'Live' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(hostileNames[0])
    expect(guarded.problems).toEqual([])
  })

  test('the keyboard alone goes from the shell to a device and back', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=plant')
    const { page } = guarded
    await page.getByRole('row').nth(1).waitFor()
    await page.reload()
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await pressUntilFocused(page, 'Tab', '[data-row="0"]')
    await page.keyboard.press('ArrowDown')
    await page.locator('[data-row="1"]:focus').waitFor()
    await page.keyboard.press('End')
    await page.locator('[data-row="64"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Live' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.locator('[role="combobox"]:focus').waitFor()
    await page.keyboard.type('devi')
    await page.getByRole('option', { name: 'Devices', exact: true }).waitFor()
    await page.getByRole('option', { name: 'Home' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await page.getByRole('toolbar').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the search and the filters stand in the address, and narrow the list on the server', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=plant')
    const { page } = guarded
    await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('PUMP-0007')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('PUMP-0007')
    await page.getByRole('button', { name: 'Connection' }).click()
    await page.getByRole('menuitemradio', { name: 'Online' }).click()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Connection' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(guarded.problems).toEqual([])
  })

  test('the palette finds a device by its id', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=plant')
    await guarded.page.getByRole('toolbar').waitFor()
    await guarded.page.keyboard.press('Control+k')
    await guarded.page
      .getByRole('combobox', { name: 'Find a page, device, asset or model' })
      .fill('pump-0031')
    await guarded.page.getByRole('option', { name: 'Pump 31' }).waitFor()
    await guarded.page.keyboard.press('Enter')
    await guarded.page.getByRole('heading', { name: 'Pump 31' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a value appears the moment it is stored', async () => {
    await using guarded = await world.openSignedIn(device)
    const { page } = guarded
    await page.getByRole('link', { name: 'temperature' }).first().waitFor()
    await sendValues(world.api, 'pump-0000', { temperature: 99.25 })
    await page.getByText('99.25').first().waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a list within a section leads back to the section', async () => {
    await using guarded = await world.openSignedIn('/firmware/releases')
    const { page } = guarded
    const lists = {
      Firmware: ['/firmware/releases', '/firmware/templates'],
      People: ['/people/groups', '/people/sign-in', '/api-tokens'],
      Settings: ['/settings/tenants', '/settings/webhooks?provider=plant'],
      System: ['/system/jobs'],
    }
    for (const [section, paths] of Object.entries(lists))
      for (const path of paths) {
        await guarded.open(path)
        await page.locator('main').getByRole('link', { name: section, exact: true }).click()
        await page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
      }
    expect(guarded.problems).toEqual([])
  })

  test('the language, the zone and the look are chosen in the top bar, and stay', async () => {
    await using guarded = await world.openSignedIn(device)
    const { page } = guarded
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    const german = page.getByRole('menuitemradio', { name: 'Deutsch' })
    await german.press('Enter')
    await page.getByRole('button', { name: 'Konto und Einstellungen' }).waitFor()
    // The menu stays open with the focus where it was.
    await german.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await german.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('button', { name: 'Konto und Einstellungen' }).waitFor()
    await expect.poll(() => page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByRole('button', { name: /^Zeitzone/ }).click()
    await page.getByPlaceholder('Zeitzone suchen').fill('tokyo')
    await page.getByRole('button', { name: /Tokyo/ }).first().click()
    await page.getByRole('button', { name: /^Zeitzone: Asia/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

async function pressUntilFocused(page: import('playwright-core').Page, key: string, selector: string) {
  for (let presses = 0; presses < 40; presses++) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return
    await page.keyboard.press(key)
  }
  throw new Error(`${selector} is not reached by ${key}`)
}
