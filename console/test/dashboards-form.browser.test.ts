import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { signIn, untilSettled } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard, sendTemperature, uploadPicture } from './harness/dashboards.ts'
import { chooseFound, typeInEditor } from './harness/editor.ts'
import { makeDevices } from './harness/fixtures.mjs'

const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })
const signals = [{ assetId: 'pump-7', name: 'temperature' }]
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describe.skipIf(!hasBrowser())('the forms of widgets', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    await sendTemperature(world, 71.5)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const readWidgets = async (id: string) => (await world.api('GET', `/v1/dashboards/${id}`)).data.widgets
  const readOptions = async (id: string) =>
    Object.fromEntries(
      (await readWidgets(id)).map((one: { id: string; options: object }) => [one.id, one.options]),
    )
  const save = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }
  const choose = async (page: Page, field: string, option: string) => {
    await page.getByRole('combobox', { name: field, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('scale, threshold, comparison and a time of any length of a chart', async () => {
    const chart = {
      id: 'a',
      kind: 'lineChart',
      title: 'Chart',
      position: at(0, 0, 12, 6),
      options: { signals },
    }
    const gauge = { id: 'b', kind: 'gauge', title: 'Gauge', position: at(0, 6, 4, 5), options: { signals } }
    const data = { version: 1, widgets: [chart, gauge] }
    const id = await makeDashboard(world, { displayName: 'Scaled', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    // The signals that can be chosen move the fields below them when they are read, and an open list hides with its field.
    await page.getByRole('checkbox', { name: 'temperature' }).waitFor()
    const fillScale = async () => {
      await page.getByRole('textbox', { name: 'Unit', exact: true }).fill('°C')
      await page.getByRole('textbox', { name: 'Decimals' }).fill('1')
      await page.getByRole('textbox', { name: 'From', exact: true }).fill('-10')
      await page.getByRole('textbox', { name: 'To', exact: true }).fill('120.5')
      await page.getByRole('button', { name: 'Add threshold' }).click()
      await page.getByRole('textbox', { name: 'Value of the threshold' }).fill('70')
      await page.getByRole('textbox', { name: 'Label of the threshold' }).fill('Hot')
      await page.getByLabel('Color of the threshold').fill('#aa0011')
    }
    await fillScale()
    await page.getByRole('checkbox', { name: 'Compare with the time before' }).check()
    await choose(page, 'Values', 'Greatest value')
    await choose(page, 'Length of the buckets', '5 minutes')
    await choose(page, 'Time', 'Last 7 days')
    await choose(page, 'Time', 'Another length')
    await page.getByRole('textbox', { name: 'Length', exact: true }).fill('90')
    await choose(page, 'Unit', 'minutes')
    await page.getByRole('button', { name: 'Widget Gauge' }).press('Enter')
    await fillScale()
    await save(page, 'Scaled')
    const scale = {
      unit: '°C',
      decimals: 1,
      min: -10,
      max: 120.5,
      thresholds: [{ value: 70, label: 'Hot', color: '#aa0011' }],
    }
    expect(await readOptions(id)).toEqual({
      a: {
        signals,
        ...scale,
        compare: true,
        period: 'PT90M',
        aggregationType: 'max',
        aggregationInterval: 'PT5M',
      },
      b: { signals, ...scale },
    })
    await page
      .getByRole('article', { name: /^Chart/ })
      .getByText(/last 1 h.* 30 min/)
      .waitFor()
    const meter = page.getByRole('meter')
    await expect.poll(() => meter.getAttribute('aria-valuemax')).toBe('120.5')
    await page.getByRole('article', { name: 'Gauge' }).getByText('Hot').waitFor()
    await guarded.open(`/dashboards/${id}/edit?widget=a`)
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Length', exact: true }).inputValue())
      .toBe('90')
    await untilSettled(page)
    await choose(page, 'Time', 'As the dashboard')
    await save(page, 'Scaled')
    expect((await readOptions(id)).a).not.toHaveProperty('period')
    expect(guarded.problems).toEqual([])
  })

  test('what is typed in a field stays when the name of its present choice arrives', async () => {
    const button = {
      id: 'a',
      kind: 'commandButton',
      title: 'Command',
      position: at(0, 0, 4, 3),
      options: { assetId: 'hostile-asset-0', commandName: 'x' },
    }
    const id = await makeDashboard(world, {
      displayName: 'Slow names',
      data: { version: 1, widgets: [button] },
    })
    await using guarded = await world.openPage()
    const { page } = guarded
    const asset = '**/v1/assets/hostile-asset-0'
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    // The first options may have its name as well.
    for (const held of [asset, '**/v1/assets?*'])
      await page.route(held, (route) => released.then(() => route.continue()))
    const asked = page.waitForRequest(asset)
    await guarded.open(`/dashboards/${id}/edit?widget=a`)
    await signIn(page, administrator)
    await asked
    const field = page.getByRole('combobox', { name: 'Asset', exact: true })
    await field.fill('pump-7')
    const answered = page.waitForResponse(asset)
    release()
    await answered
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Pump 7 (pump-7)'])
    await page.getByRole('option', { name: 'Pump 7 (pump-7)', exact: true }).click()
    await expect.poll(() => field.inputValue()).toBe('Pump 7 (pump-7)')
    expect(guarded.problems).toEqual([])
  })

  test('a command, a picture, another dashboard and the rules of an alarm list are chosen', async () => {
    await uploadPicture(world)
    const note = { id: 'n', kind: 'text', position: at(0, 0, 4, 2), options: { text: 'From the inner one' } }
    const inner = await makeDashboard(world, {
      displayName: 'Inner',
      data: { version: 1, widgets: [note] },
    })
    const widgets = [
      {
        id: 'a',
        kind: 'commandButton',
        title: 'Command',
        position: at(0, 0, 4, 3),
        options: { assetId: 'hostile-asset-0', commandName: 'x' },
      },
      { id: 'b', kind: 'image', title: 'Image', position: at(4, 0, 4, 3), options: { resourceId: UNKNOWN } },
      {
        id: 'c',
        kind: 'dashboard',
        title: 'Other',
        position: at(0, 3, 6, 4),
        options: { dashboardId: UNKNOWN },
      },
      { id: 'd', kind: 'alarmList', title: 'Alarms', position: at(6, 3, 6, 4), options: {} },
    ]
    const id = await makeDashboard(world, { displayName: 'Chosen', data: { version: 1, widgets } })
    const quiet = await world.api('POST', '/v1/alarms', {
      name: 'Quiet',
      entityTypeId: 'dtmi:com:example:ConsolePump;1',
      condition: JSON.stringify({ '>': [{ var: 'temperature' }, 1000] }),
    })
    await sendTemperature(world, 95)
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    const open = (title: string) => page.getByRole('button', { name: `Widget ${title}` }).press('Enter')
    await chooseFound(page.getByRole('combobox', { name: 'Asset', exact: true }), 'pump-7', 'Pump 7 (pump-7)')
    await choose(page, 'Command', 'run')
    await typeInEditor(page, 'Payload', '{"speed": 5}')
    await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Run it')
    await page.getByRole('checkbox', { name: 'Ask before it is sent' }).uncheck()
    await open('Image')
    await chooseFound(page.getByRole('combobox', { name: 'Picture', exact: true }), 'hall.svg')
    await choose(page, 'Size', 'Fill the widget')
    await page.getByRole('textbox', { name: 'What the picture shows' }).fill('The hall')
    await open('Other')
    await chooseFound(page.getByRole('combobox', { name: 'Dashboard', exact: true }), 'Inner')
    await open('Alarms')
    await page.getByRole('article', { name: 'Alarms' }).getByText('Too hot').waitFor()
    await chooseFound(page.getByRole('combobox', { name: 'Rules, or none for all' }), 'Quiet')
    await page.getByRole('article', { name: 'Alarms' }).getByText('No open alarm').waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await choose(page, 'Columns', '24')
    await page.getByText('Unsaved since', { exact: false }).waitFor()
    await save(page, 'Chosen')
    const options = await readOptions(id)
    expect(options).toMatchObject({
      a: { assetId: 'pump-7', commandName: 'run', payload: { speed: 5 }, label: 'Run it', confirm: false },
      b: { fit: 'cover', alt: 'The hall' },
      c: { dashboardId: inner },
      d: { alarmIds: [quiet.id] },
    })
    expect((await world.api('GET', `/v1/resources/${options.b.resourceId}`)).displayName).toBe('hall.svg')
    const { data } = await world.api('GET', `/v1/dashboards/${id}`)
    expect(data.columns).toBe(24)
    expect(data.widgets.map(({ position }: { position: object }) => position)).toEqual([
      at(0, 0, 8, 3),
      at(8, 0, 8, 3),
      at(0, 3, 12, 4),
      at(12, 3, 12, 4),
    ])
    await page.getByRole('article', { name: 'Other' }).getByText('From the inner one').waitFor()
    const picture = page.getByRole('img', { name: 'The hall' })
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(800)
    await page.getByRole('button', { name: 'Run it' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a pin follows a variable, so that one floor plan serves any pump', async () => {
    const place = { x: 0.25, y: 0.5 }
    const markers = [{ assetId: 'hostile-asset-0', ...place }]
    const options = { resourceId: await uploadPicture(world), markers }
    const plan = { id: 'a', kind: 'map', title: 'Hall', position: at(0, 0, 12, 9), options }
    const variables = [{ name: 'pump', label: 'Pump', kind: 'asset', value: ['pump-7'] }]
    const data = { version: 1, widgets: [plan], variables }
    const id = await makeDashboard(world, { displayName: 'Any hall', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}/edit?widget=a`)
    const { page } = guarded
    const pin = page.getByRole('region', { name: 'Pin 1' })
    await pin.getByRole('combobox', { name: 'Asset from' }).click()
    await page.getByRole('option', { name: 'variable Pump' }).click()
    await save(page, 'Any hall')
    expect((await readOptions(id)).a.markers).toEqual([{ variable: 'pump', ...place }])
    const hall = page.getByRole('article', { name: 'Hall' })
    await hall.getByRole('link', { name: 'pump-7', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Pump', exact: true }).click()
    await page.getByRole('option', { name: /\(hostile-asset-0\)/ }).click()
    await hall.getByRole('link', { name: 'hostile-asset-0', exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a dashboard fills the screen, and is left by its button', async () => {
    const note = { id: 'n', kind: 'text', position: at(0, 0, 4, 2), options: { text: 'Seen from afar' } }
    const id = await makeDashboard(world, { displayName: 'Wall', data: { version: 1, widgets: [note] } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const isFull = () => page.evaluate(() => document.fullscreenElement !== null)
    const shown = page.getByText('Seen from afar')
    await shown.waitFor()
    expect(await isFull()).toBe(false)
    await page.getByRole('button', { name: 'Full screen' }).click()
    await page.getByRole('button', { name: 'Leave full screen' }).waitFor()
    expect(await isFull()).toBe(true)
    await shown.waitFor()
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
    expect(await isFull()).toBe(false)
    expect(guarded.problems).toEqual([])
  })
})
