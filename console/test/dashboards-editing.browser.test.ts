import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets, sendHistory } from './harness/assets.mjs'
import { variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard, uploadPicture } from './harness/dashboards.ts'
import { openAs, openAsViewer } from './harness/editor.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

const note = (id: string, x: number, text = id) => ({
  id,
  kind: 'text',
  title: `Note ${id}`,
  position: { x, y: 0, w: 4, h: 3 },
  options: { text },
})

describe.skipIf(!hasBrowser())('editing and sharing dashboards', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    await sendHistory(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const readWidgets = async (id: string) => (await world.api('GET', `/v1/dashboards/${id}`)).data.widgets

  test('a widget is resized by the mouse and removed by Delete; Ctrl+Z and Ctrl+Shift+Z go back and forth', async () => {
    const data = { version: 1, widgets: [note('a', 0), note('b', 6)] }
    const id = await makeDashboard(world, { displayName: 'Resized', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit`)
    const { page } = guarded
    const frame = page.getByRole('article', { name: 'Note a' })
    const { x, y, width, height } = (await frame.boundingBox())!
    await page.mouse.move(x + width - 6, y + height - 6)
    await page.mouse.down()
    await page.mouse.move(x + width - 6, y + height - 6 + 2 * 56, { steps: 5 })
    await page.mouse.up()
    await page.getByText('Column 1, row 1, 4 wide, 5 high').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Widget Note b' }).press('Delete')
    await expect.poll(() => page.getByRole('article', { name: 'Note b' }).count()).toBe(0)
    // The removed widget had the focus, and the keys work without it.
    await page.keyboard.press('Control+z')
    await page.getByRole('article', { name: 'Note b' }).waitFor()
    await page.keyboard.press('Control+y')
    await expect.poll(() => page.getByRole('article', { name: 'Note b' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('article', { name: 'Note b' }).waitFor()
    await page.keyboard.press('Control+Shift+z')
    await expect.poll(() => page.getByRole('article', { name: 'Note b' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Resized', exact: true }).waitFor()
    expect(await readWidgets(id)).toEqual([{ ...note('a', 0), position: { x: 0, y: 0, w: 4, h: 5 } }])
    expect(guarded.problems).toEqual([])
  })

  test('Enter goes into the options of a widget and closing them back; on a phone a tap brings them into view', async () => {
    const tall = { ...note('a', 0), position: { x: 0, y: 0, w: 6, h: 30 } }
    const data = { version: 1, widgets: [tall, note('b', 6)] }
    const id = await makeDashboard(world, { displayName: 'Keys', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit`)
    const { page } = guarded
    const readFocus = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id)
    await page.getByRole('button', { name: 'Widget Note b' }).press('Enter')
    await expect.poll(readFocus).toBe('Options')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(readFocus).toBe('Widget Note b')
    await using phone = await world.openSignedIn(
      `/dashboards/${id}/edit`,
      variants.find(({ name }) => name === '390-light'),
    )
    await phone.page.getByRole('button', { name: 'Widget Note b' }).click()
    const title = phone.page.getByRole('heading', { name: 'Text', exact: true })
    await title.waitFor()
    await expect.poll(async () => (await title.boundingBox())!.y).toBeLessThan(844)
    expect([...guarded.problems, ...phone.problems]).toEqual([])
  })

  test('an exported dashboard is imported with its name, description and data', async () => {
    const data = { version: 1, theme: 'kept', widgets: [note('a', 0, hostileNames[0])] }
    const id = await makeDashboard(world, { displayName: hostileNames[1], description: 'North', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'More actions' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as JSON' }).click(),
    ])
    const file = await readFile(await download.path(), 'utf8')
    expect(JSON.parse(file)).toEqual({ displayName: hostileNames[1], description: 'North', data })
    await guarded.open('/dashboards')
    await page.getByRole('button', { name: 'Create dashboard' }).click()
    const input = page.getByRole('dialog').locator('input[type=file]')
    const choose = (text: string) =>
      input.setInputFiles({ name: 'board.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await choose('[1, 2]')
    await page.getByText('The file is not a dashboard in JSON.').waitFor()
    await choose(file)
    await page.getByText('The file was read.').waitFor()
    await page.getByRole('dialog').getByLabel('Name').fill('Imported')
    await page.getByRole('dialog').getByRole('button', { name: 'Create dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edit Imported' }).waitFor()
    const made = (await world.api('GET', '/v1/dashboards?search=Imported'))[0]
    expect([made.description, made.data]).toEqual(['North', data])
    expect(guarded.problems).toEqual([])
  })

  test('two people in two browsers: what one saves reaches the draft of the other, and both are in the history', async () => {
    const data = { version: 1, widgets: [note('a', 0), note('b', 6)] }
    const id = await makeDashboard(world, { displayName: 'Together', data })
    await using first = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    await using second = await openAs(
      world,
      { name: 'Colleague', relation: 'manager' },
      `/dashboards/${id}/edit?widget=b`,
    )
    const field = (page: typeof first.page) => page.getByRole('textbox', { name: 'Text', exact: true })
    await field(first.page).fill('from the first')
    await field(second.page).fill('from the second')
    await second.page.getByRole('button', { name: 'Save dashboard' }).click()
    await second.page.getByRole('article', { name: 'Note b' }).getByText('from the second').waitFor()
    // The editor reads the saved dashboard again and again.
    await first.page.getByText(/Somebody saved version 2 meanwhile/).waitFor()
    await first.page.getByRole('button', { name: 'Save dashboard' }).click()
    // The editor shows both texts before they are saved.
    await first.page.getByRole('heading', { level: 1, name: 'Together', exact: true }).waitFor()
    await first.page.getByRole('article', { name: 'Note a' }).getByText('from the first').waitFor()
    await first.page.getByRole('article', { name: 'Note b' }).getByText('from the second').waitFor()
    const texts = (await readWidgets(id)).map((one: ReturnType<typeof note>) => one.options.text)
    expect(texts.toSorted()).toEqual(['from the first', 'from the second'])

    const { page } = first
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Version history' }).click()
    const history = page.getByRole('dialog', { name: 'Version history' })
    await history.getByText('Colleague').waitFor()
    await history.getByRole('button', { name: 'What version 2 changed' }).click()
    const changes = history.getByRole('list', { name: 'What version 2 changed' })
    await changes.getByText('Changed: Note b (Text)').waitFor()
    await changes.getByRole('row', { name: 'options.text b from the second' }).waitFor()
    await expect.poll(() => changes.getByText('Note a').count()).toBe(0)
    await history.getByRole('button', { name: 'What version 1 changed' }).click()
    await history.getByText(/There is no version before it to compare with/).waitFor()
    expect([...first.problems, ...second.problems]).toEqual([])
  })

  test('a picture, the alarms and the states of an asset are shown', async () => {
    const widgets = [
      {
        id: 'image',
        kind: 'image',
        title: 'Plan',
        position: { x: 0, y: 0, w: 6, h: 5 },
        options: { resourceId: await uploadPicture(world), alt: 'The hall from above' },
      },
      {
        id: 'alarms',
        kind: 'alarmList',
        title: 'Alarms',
        position: { x: 6, y: 0, w: 6, h: 5 },
        options: { assetIds: ['pump-7'] },
      },
      {
        id: 'mild',
        kind: 'alarmList',
        title: 'Critical',
        position: { x: 6, y: 5, w: 6, h: 5 },
        options: { assetIds: ['pump-7'], minSeverity: 5 },
      },
      {
        id: 'states',
        kind: 'stateTimeline',
        title: 'Running',
        position: { x: 0, y: 5, w: 6, h: 5 },
        options: { signals: [{ assetId: 'pump-7', name: 'running' }] },
      },
    ]
    const id = await makeDashboard(world, { displayName: 'Contents', data: { version: 1, widgets } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const article = (name: string) => page.getByRole('article', { name })
    const picture = article('Plan').getByRole('img', { name: 'The hall from above' })
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(800)
    await article('Alarms').getByRole('link', { name: 'Too hot' }).waitFor()
    await article('Alarms').getByText('Pump 7').waitFor()
    await article('Critical').getByText('No open alarm').waitFor()
    const timeline = article('Running').getByRole('application')
    await timeline.focus()
    await page.keyboard.press('End')
    await article('Running').getByText('true').first().waitFor({ state: 'attached' })
    expect(guarded.problems).toEqual([])
  })

  test('who may not change a dashboard sees why in its menu', async () => {
    const id = await makeDashboard(world, { displayName: 'Watched', data: { layout: [] } })
    await using guarded = await openAsViewer(world, `/dashboards/${id}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'More actions' }).click()
    const menu = page.getByRole('menu')
    await menu.getByText('You may look at this dashboard and not change it.').waitFor()
    for (const name of ['Rename', 'Version history', 'Delete dashboard'])
      await expect.poll(() => menu.getByRole('menuitem', { name }).isDisabled()).toBe(true)
    await menu.getByRole('menuitem', { name: 'Why?' }).click()
    await page
      .getByRole('dialog')
      .getByText(/manage/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    const edit = page.getByRole('button', { name: 'Edit dashboard' })
    await guarded.open('/dashboards')
    await page.getByRole('button', { name: 'Why?' }).first().waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Create dashboard' }).isDisabled()).toBe(true)
    await page.goBack()
    await edit.waitFor()
    expect([await edit.isDisabled(), await edit.getAttribute('title')]).toEqual([
      true,
      'Another client made this dashboard. This console does not know its form, and keeps it as it is.',
    ])
    expect(guarded.problems).toEqual([])
  })
})
