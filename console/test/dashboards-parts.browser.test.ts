import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeAssets } from './harness/assets.mjs'
import { makeDashboard, sendTemperature, uploadPicture } from './harness/dashboards.ts'
import { findOverflow } from './harness/find-axe-problems.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('parts of dashboards', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeAssets(world.api)
    await sendTemperature(world, 88.25)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('tabs and sections are made in the editor, and show their widgets when they are open', async () => {
    const text = (id: string, y: number) => ({
      id,
      kind: 'text',
      title: `Title ${id}`,
      position: { x: 0, y, w: 4, h: 2 },
      options: { text: `Text ${id}` },
    })
    const section = {
      id: 's',
      kind: 'section',
      title: 'Motors',
      position: { x: 0, y: 2, w: 12, h: 1 },
      options: { collapsed: true },
    }
    const data = { version: 1, widgets: [text('a', 0), section, text('b', 3)] }
    const id = await makeDashboard(world, { displayName: 'Tabbed', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    await page.getByText('Text a').waitFor()
    const fold = page.getByRole('button', { name: 'Motors' })
    await expect.poll(() => fold.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => page.getByText('Text b').count()).toBe(0)
    await fold.click()
    await page.getByText('Text b').waitFor()
    await page.getByRole('button', { name: 'Edit dashboard' }).click()
    await page.getByRole('button', { name: 'Add tab' }).click()
    await page.getByRole('button', { name: 'Add tab' }).click()
    await page.getByRole('textbox', { name: 'Name of the tab Tab 1' }).fill('Overview')
    await page.getByRole('textbox', { name: 'Name of the tab Tab 2' }).fill(hostileNames[0]!)
    await page.getByRole('tab', { name: 'Overview' }).click()
    const tabs = page.getByRole('tablist', { name: 'Tabs' })
    const options = page.getByRole('group', { name: 'Options' })
    await vi.waitFor(async () => {
      const [tabsBox, optionsBox] = [(await tabs.boundingBox())!, (await options.boundingBox())!]
      expect(optionsBox.y).toBe(tabsBox.y)
      expect(optionsBox.x).toBeGreaterThanOrEqual(tabsBox.x + tabsBox.width)
    })
    const { height } = (await tabs.boundingBox())!
    await page.getByRole('button', { name: 'Widget Title a' }).press('Enter')
    await page.getByRole('combobox', { name: 'Tab' }).click()
    await page.getByRole('option', { name: hostileNames[0]! }).click()
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tabbed', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Motors' }).waitFor()
    await expect.poll(async () => (await tabs.boundingBox())!.height).toBe(height)
    await expect.poll(() => page.getByText('Text a').count()).toBe(0)
    await page.getByRole('tab', { name: 'Overview' }).press('ArrowRight')
    await page.getByText('Text a').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Motors' }).count()).toBe(0)
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('tab-2')
    await expect.poll(() => findOverflow(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('a chart and bars are compared with the time before', async () => {
    const options = { signals: [{ assetId: 'pump-7', name: 'temperature' }], compare: true }
    const data = {
      version: 1,
      widgets: [
        { id: 'line', kind: 'lineChart', position: { x: 0, y: 0, w: 6, h: 6 }, options },
        {
          id: 'bars',
          kind: 'barChart',
          title: 'Greatest',
          position: { x: 6, y: 0, w: 6, h: 4 },
          options: { ...options, aggregationType: 'max' },
        },
      ],
    }
    const id = await makeDashboard(world, { displayName: 'Compared', data })
    const now = Date.now()
    const range = [now, now + 7_200_000].map((at) => new Date(at).toISOString()).join('..')
    await using guarded = await world.openSignedIn(`/dashboards/${id}?range=${range}`)
    const { page } = guarded
    // All values were sent in the time before.
    await page.getByRole('application', { name: /temperature, 2 \S+ before/ }).waitFor()
    await page
      .getByRole('article', { name: 'Greatest' })
      .getByText(/^before/)
      .waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('every asset of a model shows a template for it', async () => {
    const { modelId } = await world.api('GET', '/v1/assets/pump-7')
    const widget = {
      id: 'a',
      kind: 'table',
      title: 'Of this pump',
      position: { x: 0, y: 0, w: 6, h: 4 },
      options: { signals: [{ variable: 'pump', name: 'temperature' }] },
    }
    const id = await makeDashboard(world, {
      displayName: 'Any pump of the model',
      data: { version: 1, widgets: [widget], variables: [{ name: 'pump', kind: 'asset', value: [] }] },
    })
    await using guarded = await world.openSignedIn('/assets/pump-7?tab=dashboards')
    const { page } = guarded
    await page.getByRole('heading', { name: 'No dashboard for this model yet' }).waitFor()
    await guarded.open(`/dashboards/${id}/edit`)
    await page.getByRole('combobox', { name: 'Model' }).click()
    const { displayName } = await world.api('GET', `/v1/models/${encodeURIComponent(modelId)}`)
    await page.getByRole('option', { name: displayName, exact: true }).click()
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Any pump of the model', exact: true }).waitFor()
    await guarded.open('/assets/pump-7?tab=dashboards')
    await page.getByRole('row', { name: /temperature.*88.25/ }).waitFor()
    await page.getByRole('link', { name: 'Open on its own page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Any pump of the model' }).waitFor()
    await page.getByRole('row', { name: /temperature.*88.25/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a floor plan has pins with values, which are placed by numbers and by a click', async () => {
    const resourceId = await uploadPicture(world)
    const widget = {
      id: 'plan',
      kind: 'map',
      title: 'Hall',
      position: { x: 0, y: 0, w: 8, h: 8 },
      options: {
        resourceId,
        markers: [
          { assetId: 'pump-7', label: hostileNames[0], x: 0.9, y: 0.25 },
          { assetId: 'pump-7', latitude: 47, longitude: 8 },
        ],
        signals: [{ assetId: 'pump-7', name: 'temperature' }],
      },
    }
    const id = await makeDashboard(world, {
      displayName: 'Plan',
      data: { version: 1, widgets: [widget] },
    })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const plan = page.getByRole('article', { name: 'Hall' })
    await plan.getByText('88.25').waitFor()
    await plan.getByRole('link', { name: hostileNames[0]! }).waitFor()
    await plan.getByText('1 pin has geographic coordinates and no place on this picture.').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    await plan.getByRole('listitem').getByText('88.25').waitFor()
    await plan.getByText('1', { exact: true }).waitFor()
    const picture = (await plan.getByRole('img').boundingBox())!
    const text = (await plan.getByRole('listitem').boundingBox())!
    expect(text.y).toBeGreaterThanOrEqual(picture.y + picture.height)
    expect(await findOverflow(page)).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await guarded.open(`/dashboards/${id}/edit?widget=plan`)
    const pin = page.getByRole('region', { name: 'Pin 1' })
    await pin.getByLabel('From the left in %').fill('10')
    await page.getByRole('img', { name: 'The floor plan with its pins' }).click({ position: { x: 1, y: 1 } })
    await pin.getByLabel('From the top in %').fill('50')
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plan', exact: true }).waitFor()
    const { data } = await world.api('GET', `/v1/dashboards/${id}`)
    const [first] = data.widgets[0].options.markers
    expect([first.x < 0.1, first.y]).toEqual([true, 0.5])
    await expect.poll(() => findOverflow(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('a map of the world has pins by coordinates, and is moved and zoomed by pointer and keys', async () => {
    const signals = [{ assetId: 'pump-7', name: 'temperature' }]
    const markers = [
      { assetId: 'pump-7', label: hostileNames[0], latitude: 47.38, longitude: 8.54 },
      { assetId: 'pump-0000', label: 'Zug', latitude: 47.17, longitude: 8.52 },
      { assetId: 'pump-0001', label: 'Sydney', latitude: -33.9, longitude: 151.2 },
      { assetId: 'pump-0002', x: 0.5, y: 0.5 },
      // Another pin of the asset.
      { assetId: 'pump-0001', label: 'Perth', latitude: -31.9, longitude: 115.9 },
    ]
    const position = { x: 0, y: 0, w: 12, h: 10 }
    const widget = { id: 'world', kind: 'map', title: 'Sites', position, options: { markers, signals } }
    const id = await makeDashboard(world, { displayName: 'World', data: { version: 1, widgets: [widget] } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const map = page.getByRole('article', { name: 'Sites' })
    await map.getByRole('link', { name: 'Sydney' }).waitFor()
    await map.getByText('1 pin has no coordinates.').waitFor()
    const outline = map.locator('svg path').first()
    await expect.poll(async () => (await outline.getAttribute('d'))?.length ?? 0).toBeGreaterThan(10_000)
    await expect.poll(() => map.getByRole('link', { name: hostileNames[0]! }).count()).toBe(0)
    await map.getByRole('button', { name: '2 assets' }).click()
    await map.getByRole('link', { name: hostileNames[0]! }).waitFor()
    await map.getByText('88.25').waitFor()
    await map.getByRole('link', { name: 'Zug' }).waitFor()
    await expect.poll(() => map.getByRole('link', { name: 'Sydney' }).count()).toBe(0)
    await expect.poll(() => map.getByRole('link', { name: 'Perth' }).count()).toBe(0)

    const surface = map.getByRole('application', { name: /^Sites/ })
    const pin = map.getByRole('link', { name: 'Zug' })
    const readX = async () => (await pin.boundingBox())!.x
    await surface.focus()
    const before = await readX()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(readX).toBeGreaterThan(before)
    const moved = await readX()
    const box = (await surface.boundingBox())!
    await page.mouse.move(box.x + 20, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + 60, box.y + 20, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => Math.round((await readX()) - moved)).toBe(40)
    await page.keyboard.press('0')
    await map.getByRole('link', { name: 'Sydney' }).waitFor()
    await page.keyboard.press('-')
    await map.getByRole('button', { name: 'Zoom in' }).click()
    await map.getByRole('button', { name: 'Show all pins' }).click()
    await map.getByRole('button', { name: '2 assets' }).waitFor()

    await guarded.open(`/dashboards/${id}/edit?widget=world`)
    const form = page.getByRole('region', { name: 'Pin 3' })
    await form.getByLabel('Latitude in degrees').fill('-37.8')
    await form.getByLabel('Longitude in degrees').fill('144.9')
    await page.getByRole('button', { name: 'Save dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'World', exact: true }).waitFor()
    const { data } = await world.api('GET', `/v1/dashboards/${id}`)
    expect(data.widgets[0].options.markers[2]).toMatchObject({ latitude: -37.8, longitude: 144.9 })
    await expect.poll(() => findOverflow(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
