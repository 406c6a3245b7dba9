import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard, sendTemperature } from './harness/dashboards.ts'
import { typeInEditor } from './harness/editor.ts'
import { makeDevices } from './harness/fixtures.mjs'

const place = { x: 0, y: 0, w: 4, h: 3 }
const board = (text: string) => ({
  version: 1,
  widgets: [{ id: 'a', kind: 'text', title: 'Note', position: place, options: { text } }],
})

describe.skipIf(!hasBrowser())('drafts and missing things of dashboards', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    await sendTemperature(world, 71.5)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const readDraft = (id: string): Promise<string | null> =>
    world.api('GET', `/v1/dashboards/${id}/draft`).then(
      ({ data }) => data.widgets[0].options.text,
      () => null,
    )
  const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true })

  test('a discarded draft does not come back, and a younger one made elsewhere is continued', async () => {
    const id = await makeDashboard(world, { displayName: 'Drafts', data: board('saved') })
    const edit = `/dashboards/${id}/edit?widget=a`
    await using guarded = await world.openSignedIn(edit)
    const { page } = guarded
    await textOf(page).fill('here')
    await expect.poll(() => readDraft(id)).toBe('here')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('link', { name: 'Drafts' }).click()
    await page.getByRole('button', { name: 'Edit dashboard' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    await expect.poll(() => readDraft(id)).toBeNull()
    await guarded.open(edit)
    await textOf(page).fill('in the office')
    await expect.poll(() => readDraft(id)).toBe('in the office')
    await world.api('PUT', `/v1/dashboards/${id}/draft`, { version: 1, data: board('at home') })
    await guarded.open(edit)
    await page.getByText(/^Restored, unsaved since/).waitFor()
    await expect.poll(() => textOf(page).inputValue()).toBe('at home')
    await expect.poll(() => readDraft(id)).toBe('at home')
    expect(guarded.problems).toEqual([])
  })

  test('JSON that is unfinished is not saved as something else, and stays while the board is shown', async () => {
    const id = await makeDashboard(world, { displayName: 'Raw' })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?view=json`)
    const { page } = guarded
    const save = page.getByRole('button', { name: 'Save dashboard' })
    await typeInEditor(page, 'Data of the dashboard', '{"version": 1, "widgets": [], "note": "half')
    await page.getByText('The JSON is no object yet, and changes nothing.').waitFor()
    await expect.poll(() => save.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show board' }).click()
    await page.getByRole('button', { name: 'Show JSON' }).click()
    await page.getByText('"half').waitFor()
    await typeInEditor(page, 'Data of the dashboard', '{"version": 1, "widgets": [], "note": "whole"}')
    await save.click()
    await page.getByRole('heading', { level: 1, name: 'Raw', exact: true }).waitFor()
    expect((await world.api('GET', `/v1/dashboards/${id}`)).data.note).toBe('whole')
    expect(guarded.problems).toEqual([])
  })

  test('undo works behind a merge', async () => {
    const id = await makeDashboard(world, { displayName: 'Merged', data: board('saved') })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    await textOf(page).fill('mine')
    const other = { ...board('').widgets[0]!, id: 'b', title: 'Added' }
    const widgets = [...board('saved').widgets, { ...other, position: { ...place, x: 6 } }]
    await world.api('PATCH', `/v1/dashboards/${id}`, { version: 1, data: { version: 1, widgets } })
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('button', { name: 'Widget Added' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    await page.getByRole('button', { name: 'Widget Added' }).waitFor()
    await expect.poll(() => textOf(page).inputValue()).toBe('saved')
    await page.getByRole('button', { name: 'Redo' }).click()
    await expect.poll(() => textOf(page).inputValue()).toBe('mine')
    expect(guarded.problems).toEqual([])
  })

  test('what is typed while the dashboard is saved stays a draft on the new version', async () => {
    const id = await makeDashboard(world, { displayName: 'Slow', data: board('first') })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(`**/v1/dashboards/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await released
      await route.continue()
    })
    await textOf(page).fill('second')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await sent
    await textOf(page).fill('third')
    release()
    await page.getByText('Version 2 is saved, without what you have changed since you saved it.').waitFor()
    const read = () => world.api('GET', `/v1/dashboards/${id}`)
    expect((await read()).data).toEqual(board('second'))
    await expect.poll(() => textOf(page).inputValue()).toBe('third')
    await expect.poll(() => readDraft(id)).toBe('third')
    await page.reload()
    await page.getByText(/^Restored, unsaved since/).waitFor()
    await expect.poll(() => textOf(page).inputValue()).toBe('third')
    await expect.poll(() => page.getByRole('region', { name: /Somebody saved/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Slow', exact: true }).waitFor()
    await page.getByRole('article', { name: 'Note' }).getByText('third').waitFor()
    expect(await read()).toMatchObject({ version: 3, data: board('third') })
    await expect.poll(() => readDraft(id)).toBeNull()
    expect(guarded.problems).toEqual([])
  })

  test('a missing asset is named and leaves the others, also in full screen', async () => {
    const signals = ['pump-7', 'pump-gone'].map((assetId) => ({ assetId, name: 'temperature' }))
    const id = await makeDashboard(world, {
      displayName: 'Scrapped',
      data: {
        version: 1,
        widgets: [
          { id: 'a', kind: 'table', title: 'Values', position: { ...place, w: 6 }, options: { signals } },
          {
            id: 'b',
            kind: 'barChart',
            title: 'Means',
            position: { ...place, x: 6, w: 6 },
            options: { signals, aggregationType: 'median' },
          },
        ],
      },
    })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await page.getByRole('row', { name: /pump-7.*71\.5/ }).waitFor()
    await page.getByText(/they were deleted or you may not see them: pump-gone/).waitFor()
    await page.getByRole('article', { name: 'Means' }).getByText('71.5').waitFor()
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByRole('textbox').first().fill('Seen')
    await page.keyboard.press('Escape')
    expect(guarded.problems).toEqual([])
  })
})
