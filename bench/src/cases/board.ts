/** Measures large dashboards of the console in Chromium: how fast they open, and what live values cost. */
import type { Page } from 'playwright-core'
import type { Bench, BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { createSensors, INTERVAL_MS } from '../history/sensors.ts'
import { measureLoad, type OpenBrowser, startBrowser } from '../measure/browser.ts'
import type { Finding } from '../measure/finding.ts'
import { median } from '../measure/statistics.ts'
import { createBoard, createWatcher, signIn } from '../platform/dashboards.ts'
import { insertDevices } from '../platform/devices.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import { startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import { listCharts, listMixed, SIGNALS, WIDGETS } from './console/board-widgets.ts'

const DEVICES = 250
const HOUR_MS = 3_600_000
const UPDATES_PER_SECOND = 1000
const ROUNDS = 5
/** Longer than the load is measured for. */
const PUBLISHED_SECONDS = 30

interface Board {
  displayName: string
  /** Its widgets, as a measure names them. */
  what: string
  makeWidgets: typeof listCharts
  /** Number of widgets that draw on a canvas. */
  canvases: number
}

const boards: Board[] = [
  {
    displayName: 'Large board',
    what: `${WIDGETS} charts of ${DEVICES * SIGNALS.length} series`,
    makeWidgets: listCharts,
    canvases: WIDGETS,
  },
  {
    displayName: 'Mixed board',
    what: `${WIDGETS} widgets of eight kinds over ${DEVICES} devices`,
    makeWidgets: listMixed,
    canvases: 12,
  },
]

export const board: BenchCase = {
  name: 'board',
  about: `dashboards of ${WIDGETS} widgets over ${DEVICES} devices in Chromium, of charts alone and of all kinds`,
  maxSeconds: 480,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, DEVICES)
    const ids = devices.map(({ id }) => id)
    const write = await createHistoryWriter(platform)
    const fromMs = Date.now() - HOUR_MS
    await write(createSensors(ids).map((sensor) => sensor.read(fromMs, HOUR_MS / INTERVAL_MS)))
    await createWatcher(platform)
    for (const { displayName, makeWidgets } of boards)
      await createBoard(platform, { displayName, widgets: makeWidgets(ids), size: { w: 3, h: 5 } })
    const browser = await bench.use(startBrowser(`${platform.server().endpoints.http}/console/dashboards`))
    // Widgets are drawn when they come into view: in so tall a window, all of them are.
    await browser.page.setViewportSize({ width: 1440, height: 3200 })
    await signIn(browser.page)
    await browser.page.getByRole('row').nth(boards.length).waitFor()
    const openings: Finding[] = []
    for (const each of boards) openings.push(await measureOpening(bench, browser.page, each))
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, devices)
    const publish = () => fleet.call('publishAtRate', UPDATES_PER_SECOND / SIGNALS.length, PUBLISHED_SECONDS)
    const loads: Finding[] = []
    for (const each of boards) {
      await openBoard(browser.page, each)
      loads.push(await measureUpdates(browser, each, publish))
    }
    return [...openings, ...loads]
  },
}

/** The document of the page, for functions that run there: the bench is compiled without the types of a browser. */
declare const document: { querySelectorAll(selector: string): { length: number } }

/** Opens a board from the list, until each of its widgets is drawn. @returns milliseconds */
async function openBoard(page: Page, { displayName, canvases }: Board): Promise<number> {
  // A reload empties the cache of the page.
  await page.goto(new URL('/console/dashboards', page.url()).href)
  const row = page.getByRole('row', { name: displayName })
  await row.waitFor()
  const startMs = performance.now()
  await row.click()
  // A locator may check again only after half a second, which would be measured too.
  await page.waitForFunction(
    (least) => {
      const count = (selector: string) => document.querySelectorAll(`article ${selector}`).length
      return (
        document.querySelectorAll('article').length >= least.widgets &&
        count('[role="application"] canvas') >= least.canvases &&
        count('[role="status"][aria-label="Loading"]') === 0
      )
    },
    { widgets: WIDGETS, canvases },
  )
  return performance.now() - startMs
}

async function measureOpening(bench: Bench, page: Page, each: Board): Promise<Finding> {
  const shownMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    shownMs.push(await openBoard(page, each))
    bench.progress(`${each.displayName} is on screen after ${Math.round(shownMs.at(-1)!)} ms`)
  }
  return {
    measure: `${each.what} with an hour of values on screen`,
    unit: 'ms',
    value: median(shownMs),
    goal: { valueAtMost: 1500 },
    rounds: { value: shownMs },
  }
}

/** Measures an open board without and with new values. */
async function measureUpdates(
  browser: OpenBrowser,
  { what }: Board,
  publish: () => Promise<unknown>,
): Promise<Finding> {
  const idle = await measureLoad(browser)
  const publishing = publish()
  const busy = await measureLoad(browser)
  await publishing
  return {
    measure: `${what} with ${UPDATES_PER_SECOND.toLocaleString('en')} updates a second, all processes of the browser`,
    unit: '% of a core',
    value: busy.allPercent,
    goal: { valueAtMost: 50 },
    details: { pagePercent: busy.pagePercent, withoutUpdatesPercent: idle.allPercent },
  }
}
