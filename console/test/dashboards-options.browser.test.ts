import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAsset, makeAssets, makeNode } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard, sendTemperature } from './harness/dashboards.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'

const HOUR_MS = 3_600_000
const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })
const temperature = { assetId: 'pump-7', name: 'temperature' }

describe.skipIf(!hasBrowser())('options and variables of dashboards', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    for (const value of [70, 71.5]) await sendTemperature(world, value)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('limits, thresholds, decimals and colors of signals are drawn', async () => {
    const thresholds = [{ value: 70, color: '#ff00ff', label: 'Hot' }]
    const scale = { unit: '°C', decimals: 3, min: 0, max: 100, thresholds }
    const signals = [{ ...temperature, color: '#00ff00' }]
    const kinds = ['lineChart', 'latestValue', 'table', 'barChart', 'gauge']
    const widgets = kinds.map((kind, index) => ({
      id: kind,
      kind,
      title: kind,
      position: at((index % 2) * 6, Math.floor(index / 2) * 6, 6, 6),
      options: { signals, ...scale },
    }))
    const id = await makeDashboard(world, { displayName: 'Scales', data: { version: 1, widgets } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const article = (name: string) => page.getByRole('article', { name })
    await sendTemperature(world, 72.5)
    for (const kind of ['latestValue', 'table', 'gauge']) await article(kind).getByText('72.500').waitFor()
    for (const kind of ['latestValue', 'table', 'gauge', 'barChart'])
      await article(kind).getByText('Hot', { exact: true }).waitFor()
    const backgrounds = (name: string) =>
      article(name)
        .locator('span[style*="width"]')
        .evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).backgroundColor))
    for (const kind of ['latestValue', 'table', 'barChart'])
      await expect.poll(() => backgrounds(kind)).toEqual(['rgb(255, 0, 255)'])
    await expect.poll(() => countPixels(page, 'lineChart', [255, 0, 255])).toBeGreaterThan(50)
    await expect.poll(() => countPixels(page, 'lineChart', [0, 255, 0])).toBeGreaterThan(3)
    await article('lineChart').getByText('72.500 °C').first().waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a value with trend shows the end of a fixed time, its time, and the trend before it', async () => {
    const end = Date.now() - 48 * HOUR_MS
    for (const [minutes, value] of [
      [50, 40],
      [30, 55],
      [10, 50.25],
      [-10, 99],
    ] as const)
      await sendValues(world.api, 'pump-0000', {
        temperature: value,
        timestamp: new Date(end - minutes * 60_000).toISOString(),
      })
    const widget = {
      id: 'value',
      kind: 'latestValue',
      title: 'Value',
      position: at(0, 0, 4, 4),
      options: { signals: [temperature], unit: '°C' },
    }
    const id = await makeDashboard(world, { displayName: 'Past', data: { version: 1, widgets: [widget] } })
    const link = (hours: number) =>
      `/dashboards/${id}?range=${[end - hours * HOUR_MS, end].map((ms) => new Date(ms).toISOString()).join('..')}`
    await using guarded = await world.openSignedIn(link(1))
    const value = guarded.page.getByRole('article', { name: 'Value' })
    await value.getByText('50.25', { exact: true }).waitFor()
    await value.getByText(/▲ 10.25 in 1 h/).waitFor()
    await value.getByText(/^as of .*\d\d:\d\d:\d\d/).waitFor()
    const points = (await value.locator('polyline').getAttribute('points'))!.split(' ')
    expect(points.map((point) => Math.round(Number(point.split(',')[0])))).toEqual([33, 100, 167])
    await sendTemperature(world, 71.5)
    await guarded.open(link(24))
    await value.getByText(/^mean of .* from /).waitFor()
    await value.locator('polyline').waitFor({ state: 'attached' })
    await guarded.open(`/dashboards/${id}`)
    await value.getByText('71.5', { exact: true }).waitFor()
    await expect.poll(() => value.getByText(/^as of|^mean of/).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('a widget with its own time shows exactly that, and a zoom changes it alone', async () => {
    const chart = (widgetId: string, y: number, period?: string) => ({
      id: widgetId,
      kind: 'lineChart',
      title: widgetId,
      position: at(0, y, 12, 6),
      options: { signals: [temperature], ...(period && { period }) },
    })
    const widgets = [chart('Own', 0, 'PT2H'), chart('Shared', 6)]
    const id = await makeDashboard(world, { displayName: 'Times', data: { version: 1, widgets } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const [own, shared] = ['Own', 'Shared'].map((name) => page.getByRole('article', { name }))
    await own!.getByText('last 2 h').waitFor()
    await expect.poll(() => shared!.getByText(/^last /).count()).toBe(0)
    await sendTemperature(world, 73)
    const plot = own!.getByRole('application')
    await plot.focus()
    await page.keyboard.press('+')
    await own!.getByRole('button', { name: 'Back to the last 2 h' }).waitFor()
    expect(new URL(page.url()).searchParams.get('range')).toBeNull()
    await own!.getByRole('button', { name: 'Back to the last 2 h' }).click()
    await own!.getByRole('button', { name: 'Back to the last 2 h' }).waitFor({ state: 'detached' })
    await own!.getByText('last 2 h').waitFor()
    await shared!.getByRole('application').focus()
    await page.keyboard.press('+')
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toMatch(/\.\./)
    await own!.getByText('last 2 h').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a variable of several assets and one of a place are chosen, and what is cut is said', async () => {
    const place = await makeNode(world.api, 'Fleet')
    const names = Array.from({ length: 52 }, (_, index) => `fleet-${String(index).padStart(2, '0')}`)
    for (const name of names) await makeAsset(world.api, name, name, place)
    const table = (widgetId: string, y: number, variable: string) => ({
      id: widgetId,
      kind: 'table',
      title: widgetId,
      position: at(0, y, 6, 5),
      options: { signals: [{ variable, name: 'temperature' }] },
    })
    const gauge = { ...table('First', 10, 'several'), kind: 'gauge' }
    const variables = [
      { name: 'several', label: 'Several', kind: 'assets', value: ['pump-7', 'fleet-00'] },
      { name: 'fleet', label: 'Fleet', kind: 'node', value: [] as string[] },
    ]
    const data = {
      version: 1,
      variables,
      widgets: [table('Some', 0, 'several'), table('All', 5, 'fleet'), gauge],
    }
    const id = await makeDashboard(world, { displayName: 'Fleet', data })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const rows = (name: string) => page.getByRole('article', { name }).getByRole('row')
    await expect.poll(() => rows('Some').count()).toBe(3)
    await page.getByText('pump-7, the first of 2 assets').waitFor()
    await page.getByRole('combobox', { name: 'Several' }).click()
    await page.getByRole('option', { name: 'fleet-01' }).click()
    await expect.poll(() => rows('Some').count()).toBe(4)
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Fleet' }).click()
    await page.getByRole('option', { name: 'Fleet' }).click()
    await expect.poll(() => rows('All').count()).toBe(51)
    await page.getByText('The first 50 of 52 assets are shown.').waitFor()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('variables'))
      .toBe(`several=pump-7~fleet-00~fleet-01,fleet=${place}`)
    await page.reload()
    await expect.poll(() => rows('All').count()).toBe(51)
    expect(guarded.problems).toEqual([])
  })

  test('a dashboard in a dashboard has the variables of the outer one, and its own, with its notices', async () => {
    const table = (variable: string, y: number) => ({
      id: variable,
      kind: 'table',
      title: `Of ${variable}`,
      position: at(0, y, 6, 4),
      options: { signals: [{ variable, name: 'temperature' }] },
    })
    const variable = (name: string, value: string) => ({ name, kind: 'asset', value: [value] })
    const inner = await makeDashboard(world, {
      displayName: 'Inner',
      data: {
        version: 1,
        widgets: [table('shared', 0), table('own', 4)],
        variables: [variable('shared', 'nowhere'), variable('own', 'gone-asset')],
      },
    })
    const embed = { id: 'in', kind: 'dashboard', position: at(0, 0, 12, 10), options: { dashboardId: inner } }
    const outer = await makeDashboard(world, {
      displayName: 'Outer',
      data: { version: 1, widgets: [embed], variables: [variable('shared', 'pump-7')] },
    })
    await using guarded = await world.openSignedIn(`/dashboards/${outer}`)
    const { page } = guarded
    await sendTemperature(world, 74.25)
    await page.getByRole('article', { name: 'Of shared' }).getByText('74.25').waitFor()
    await page.getByRole('article', { name: 'Of own' }).getByText('no value yet').waitFor()
    await page.getByText('Without values, because they were deleted or you may not see them:').waitFor()
    await page.getByText('gone-asset').first().waitFor()
    expect(guarded.problems).toEqual([])
  })
})

/** Counts the pixels of one color in the charts of a widget. */
const countPixels = (page: Page, widgetId: string, color: [number, number, number]) =>
  page.locator(`[data-widget="${widgetId}"] canvas`).evaluateAll((all, [red, green, blue]) => {
    let count = 0
    for (const canvas of all as HTMLCanvasElement[]) {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      for (let index = 0; index < data.length; index += 4)
        if (data[index] === red && data[index + 1] === green && data[index + 2] === blue) count++
    }
    return count
  }, color)
