/** Measures a large dashboard of the console in Chromium: how fast it opens, and what live values cost. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { createSensors, INTERVAL_MS } from '../history/sensors.ts'
import { measureLoad, type OpenBrowser, startBrowser } from '../measure/browser.ts'
import type { Finding } from '../measure/finding.ts'
import { median } from '../measure/statistics.ts'
import { createBoard, createWatcher, type Series, signIn } from '../platform/dashboards.ts'
import { insertDevices } from '../platform/devices.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import { startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const BOARD = 'Large board'
const WIDGETS = 40
const DEVICES = 250
/** Both in the history and in the messages of the fleet, so that there are 500 series. */
const SIGNALS = ['temperature', 'pressure']
const HOUR_MS = 3_600_000
const UPDATES_PER_SECOND = 1000
const ROUNDS = 5
/** Longer than the load is measured for. */
const PUBLISHED_SECONDS = 30

export const board: BenchCase = {
  name: 'board',
  about: `a dashboard of ${WIDGETS} widgets over ${DEVICES * SIGNALS.length} series in Chromium`,
  maxSeconds: 300,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, DEVICES)
    const ids = devices.map(({ id }) => id)
    const write = await createHistoryWriter(platform)
    const fromMs = Date.now() - HOUR_MS
    await write(createSensors(ids).map((sensor) => sensor.read(fromMs, HOUR_MS / INTERVAL_MS)))
    await createWatcher(platform)
    await createBoard(platform, { displayName: BOARD, charts: divideSeries(ids), size: { w: 3, h: 5 } })
    const browser = await bench.use(startBrowser(`${platform.server().endpoints.http}/console/dashboards`))
    await signIn(browser.page)
    const opening = await measureOpening(bench, browser)
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, devices)
    const idle = await measureLoad(browser)
    const publishing = fleet.call('publishAtRate', UPDATES_PER_SECOND / SIGNALS.length, PUBLISHED_SECONDS)
    const busy = await measureLoad(browser)
    await publishing
    return [
      opening,
      {
        measure: `the same with ${UPDATES_PER_SECOND.toLocaleString('en')} updates a second, all processes of the browser`,
        unit: '% of a core',
        value: busy.allPercent,
        goal: { valueAtMost: 50 },
        details: { pagePercent: busy.pagePercent, withoutUpdatesPercent: idle.allPercent },
      },
    ]
  },
}

/** The series of each chart. */
function divideSeries(ids: string[]): Series[][] {
  const series = ids.flatMap((assetId) => SIGNALS.map((name) => ({ assetId, name })))
  const start = (chart: number) => Math.round((chart * series.length) / WIDGETS)
  return Array.from({ length: WIDGETS }, (_, chart) => series.slice(start(chart), start(chart + 1)))
}

/** Opens the board from the list, until each chart is drawn. A reload between the rounds empties the cache of the page. */
async function measureOpening(bench: Bench, { page }: OpenBrowser): Promise<Finding> {
  // Widgets are drawn when they come into view: in so tall a window, all of them are.
  await page.setViewportSize({ width: 1440, height: 3200 })
  const shownMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await page.goto(new URL('.', page.url()).href)
    const row = page.getByRole('row', { name: BOARD })
    await row.waitFor()
    const startMs = performance.now()
    await row.click()
    // By a locator: the policy of the page forbids expressions from a text.
    const charts = page.getByRole('application').locator('canvas')
    await charts.nth(WIDGETS - 1).waitFor({ state: 'attached' })
    shownMs.push(performance.now() - startMs)
    bench.progress(`the board is on screen after ${Math.round(shownMs.at(-1)!)} ms`)
  }
  return {
    measure: `${WIDGETS} charts of ${DEVICES * SIGNALS.length} series with an hour of values on screen`,
    unit: 'ms',
    value: median(shownMs),
    goal: { valueAtMost: 1500 },
    rounds: { value: shownMs },
  }
}
