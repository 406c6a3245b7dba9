import type { Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeAsset } from './harness/assets.mjs'
import { makeDashboard, makeDashboards, sendTemperature } from './harness/dashboards.ts'
import { chooseGerman, openAsViewer } from './harness/editor.ts'
import { findOverflow } from './harness/find-axe-problems.ts'
import { hostileNames } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('dashboards', () => {
  let world: TestConsole
  let all: string
  beforeAll(async () => {
    world = await startConsole()
    all = await makeDashboards(world)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('the list is searched and opens a dashboard, whose widgets follow the values', async () => {
    await using guarded = await world.openSignedIn('/dashboards')
    const { page } = guarded
    await page.getByTitle(hostileNames[2]!, { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('everyth')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('row', { name: /Everything/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor()
    await page.getByRole('application', { name: /Chart of temperature/ }).waitFor()
    const value = page.getByRole('article', { name: 'temperature', exact: true }).first()
    await value.getByText('71.5').waitFor()
    await page.getByText('Hot').waitFor()
    await sendTemperature(world, 88.25)
    await value.getByText('88.3').waitFor()
    const table = page.getByRole('article', { name: 'All values' })
    await table.getByRole('row', { name: /temperature.*88.25/ }).waitFor()
    await expect.poll(() => page.getByRole('meter').getAttribute('aria-valuenow')).toBe('88.25')
    const another = page.getByRole('article', { name: 'Another' })
    await another.getByText('88.3').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a refresh that fails keeps the chart, marked with its time and the reason', async () => {
    await using guarded = await world.openSignedIn(`/dashboards/${all}`)
    const { page } = guarded
    const chart = page.getByRole('article', { name: /^Temperatures/ })
    await chart.getByRole('application', { name: /Chart of temperature/ }).waitFor()
    const refuse = (route: Route) =>
      route.fulfill({
        status: 429,
        json: { error: 'rate_limited', message: 'Too many requests.', details: {} },
      })
    await page.route('**/v1/timeseries/get', refuse)
    // A page that is shown again reads its values again.
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await chart.getByText(/as of \d/).waitFor()
    await chart.getByRole('application', { name: /Chart of temperature/ }).waitFor()
    await page
      .getByText(/Some charts could not be read again/)
      .first()
      .waitFor()
    await page.unroute('**/v1/timeseries/get', refuse)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await expect.poll(() => chart.getByText(/as of \d/).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('text is Markdown without HTML, scripts and pictures of other origins', async () => {
    await using guarded = await world.openSignedIn(`/dashboards/${all}`)
    const { page } = guarded
    const region = page.getByRole('article', { name: hostileNames[0]! })
    await region.getByRole('heading', { level: 3, name: 'Pumps' }).waitFor()
    await region.getByText('<script>alert(1)</script>').waitFor()
    await expect.poll(() => region.locator('script, img').count()).toBe(0)
    await expect.poll(() => region.locator('a[href*="javascript"]').count()).toBe(0)
    await expect.poll(() => findOverflow(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('a command is sent after it was confirmed, and a property is set', async () => {
    await using guarded = await world.openSignedIn(`/dashboards/${all}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Identify pump' }).click()
    await page.getByRole('dialog').getByText('Pump 7 (pump-7)').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Send command' }).click()
    await page
      .getByText(/^Sent at|device_offline|offline/)
      .first()
      .waitFor()
    const input = page.getByRole('form', { name: 'Property input' })
    const [reported, wanted] = [input.getByRole('definition').first(), input.getByRole('definition').nth(1)]
    await reported.getByText('none', { exact: true }).waitFor()
    await world.api('POST', '/v1/providers/plant/clients/pump-0000/reported', { limit: 80 })
    await reported.getByText('80', { exact: true }).waitFor()
    await reported.locator('time').waitFor()
    await page.getByRole('textbox', { name: 'Upper limit' }).fill('95')
    await page.getByRole('button', { name: 'Set property' }).click()
    await page.getByText('The property is set').waitFor()
    await wanted.getByText('95', { exact: true }).waitFor()
    const desired = await world.api('GET', '/v1/assets/pump-7/properties/desired')
    expect(JSON.stringify(desired)).toContain('95')
    expect(guarded.problems).toEqual([])
  })

  test('data of other clients and unknown widgets are shown and stay', async () => {
    const foreign = await makeDashboard(world, { displayName: 'Old', data: { layout: ['a'] } })
    await using guarded = await world.openSignedIn(`/dashboards/${foreign}`)
    const { page } = guarded
    await page.getByText('Another client made this dashboard.').waitFor()
    await page.getByText('"layout"').waitFor()
    await guarded.open('/dashboards/00000000-0000-4000-8000-000000000000')
    await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a dashboard is made, gets widgets by mouse and keyboard, and is saved and restored', async () => {
    await using guarded = await world.openSignedIn('/dashboards')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create dashboard' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Made here')
    await page.getByRole('dialog').getByRole('button', { name: 'Create dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit Made here' }).waitFor()
    await page.getByRole('button', { name: 'Add widget' }).click()
    await page.getByRole('menuitem', { name: 'Text', exact: true }).click()
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Add widget' }).click()
    await page.getByRole('menuitem', { name: 'Value with trend' }).click()
    await page.getByLabel('Find an asset or a device').fill('pump-7')
    await page.getByRole('button', { name: /^Pump 7/ }).click()
    await page.getByRole('checkbox', { name: 'temperature' }).check()
    const mover = page.getByRole('button', { name: 'Widget temperature' })
    await mover.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('Column 6, row 1, 3 wide, 4 high').waitFor({ state: 'attached' })
    const before = (await page.getByRole('button', { name: 'Widget Text' }).boundingBox())!
    await page.mouse.move(before.x + 40, before.y + 40)
    await page.mouse.down()
    await page.mouse.move(before.x + 40, before.y + 40 + 5 * 56, { steps: 5 })
    await page.mouse.up()
    await page.getByText('Column 1, row 6, 4 wide, 3 high').waitFor({ state: 'attached' })
    // A draft is sent after a pause, and a reload brings it back.
    await expect.poll(() => countDrafts(world, 'Made here')).toBe(1)
    await page.reload()
    await page.getByText(/^Restored, unsaved since/).waitFor()
    await page.getByRole('button', { name: 'Widget temperature' }).waitFor()
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Made here', exact: true }).waitFor()
    await page.getByText('Hello').waitFor()
    await expect.poll(() => countDrafts(world, 'Made here')).toBe(0)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Version history' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByRole('heading', { name: 'Nothing on it yet' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete dashboard' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Made here')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dashboard' }).click()
    await page.getByRole('button', { name: 'Deleted dashboards' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Made here' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('two people edit one dashboard: changes are merged, and a conflict is shown', async () => {
    const text = (written: string) => ({
      id: 'a',
      kind: 'text',
      title: 'Shared',
      position: { x: 0, y: 0, w: 4, h: 3 },
      options: { text: written },
    })
    const id = await makeDashboard(world, {
      displayName: 'Shared',
      data: { version: 1, widgets: [text('first')] },
    })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('mine')
    const added = { ...text('new'), id: 'b', title: 'Added', position: { x: 6, y: 0, w: 4, h: 3 } }
    await world.api('PATCH', `/v1/dashboards/${id}`, {
      version: 1,
      data: { version: 1, widgets: [text('first'), added] },
    })
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByText(/Somebody saved version 2 meanwhile/).waitFor()
    await page.getByRole('button', { name: 'Widget Added' }).waitFor()
    await world.api('PATCH', `/v1/dashboards/${id}`, {
      version: 2,
      data: { version: 1, widgets: [text('theirs'), added] },
    })
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    const conflict = page.getByRole('region', { name: /Somebody saved version 3/ })
    // Only what differs is shown, not the whole widget.
    await conflict.getByText('options.text: "theirs"', { exact: true }).waitFor()
    await conflict.getByText('options.text: "mine"', { exact: true }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save dashboard' }).isDisabled()).toBe(true)
    await conflict.getByRole('radio', { name: /Yours/ }).check()
    await conflict.getByRole('button', { name: 'Use these' }).click()
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shared', exact: true }).waitFor()
    const saved = await world.api('GET', `/v1/dashboards/${id}`)
    expect(saved.version).toBe(4)
    expect(saved.data.widgets.map((one: { options: { text: string } }) => one.options.text)).toEqual([
      'mine',
      'new',
    ])
    expect(guarded.problems).toEqual([])
  })

  test('a variable chooses the asset, and stands in the address', async () => {
    const widget = {
      id: 'a',
      kind: 'table',
      title: 'Values',
      position: { x: 0, y: 0, w: 6, h: 4 },
      options: { signals: [{ variable: 'pump', name: 'temperature' }] },
    }
    const data = {
      version: 1,
      widgets: [widget],
      variables: [{ name: 'pump', label: 'Pump', kind: 'asset', value: ['hostile-asset-0'] }],
    }
    const id = await makeDashboard(world, { displayName: 'Any pump', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await sendTemperature(world, 90.25)
    await page.getByRole('row', { name: /temperature.*no value yet/ }).waitFor()
    await page.getByRole('combobox', { name: 'Pump' }).click()
    await page.getByRole('option', { name: /Pump 7/ }).click()
    await page.getByRole('row', { name: /temperature.*90.25/ }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('variables')).toBe('pump=pump-7')

    // The whole name of an offered asset may begin the name of another one.
    for (const name of ['solo', 'solo-1']) await makeAsset(world.api, name, name)
    await page.getByRole('combobox', { name: 'Pump' }).fill('sol')
    await page.getByRole('option', { name: 'solo', exact: true }).waitFor()
    const searched = page.waitForRequest(
      (request) => new URL(request.url()).searchParams.get('search') === 'solo',
    )
    await page.getByRole('combobox', { name: 'Pump' }).fill('solo')
    await searched
    await page.getByRole('option', { name: 'solo-1' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('who may only look sees the reason, and the pages are shown in German', async () => {
    await using guarded = await openAsViewer(world, `/dashboards/${all}/edit`)
    const { page } = guarded
    await page.getByText('You may look at this dashboard and not change it.').first().waitFor()
    await guarded.open(`/dashboards/${all}`)
    await page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Edit dashboard' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByRole('dialog').getByText('You may look at this dashboard and not change it.').waitFor()
    await page.keyboard.press('Escape')
    await chooseGerman(page)
    await page.getByRole('button', { name: 'Dashboard bearbeiten' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('on a phone the widgets stand one below the other', async () => {
    await using guarded = await world.openSignedIn(`/dashboards/${all}`, variants[2])
    const { page } = guarded
    await page.getByRole('application', { name: /Chart of temperature/ }).waitFor()
    const readLefts = () =>
      page
        .locator('[data-widget]')
        .evaluateAll((widgets) => widgets.map((one) => one.getBoundingClientRect().left))
    await expect.poll(async () => new Set((await readLefts()).slice(0, 8)).size).toBe(1)
    await expect.poll(() => findOverflow(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})

async function countDrafts(world: TestConsole, name: string): Promise<number> {
  const dashboards = await world.api('GET', '/v1/dashboards')
  const { id } = dashboards.find(({ displayName }: { displayName: string }) => displayName === name)
  return world.api('GET', `/v1/dashboards/${id}/draft`).then(
    () => 1,
    () => 0,
  )
}
