/** Measures whether the memory of a page that shows live charts grows. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Bench, BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { startBrowser } from '../measure/browser.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { createBoard, createWatcher, makeChart, signIn } from '../platform/dashboards.ts'
import { insertDevices } from '../platform/devices.ts'
import { startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const CHARTS = 50
const SIGNAL = 'temperature'
/** Each chart is full by then, since it shows five minutes. */
const BASELINE_MINUTE = 10
/** A reading may have the values in it that are just arriving, half a megabyte, so that the medians of several are compared. */
const COMPARED_MINUTES = 10
const LEAST_MINUTES = BASELINE_MINUTE + 2 * COMPARED_MINUTES
const MEBIBYTE = 1024 * 1024
const GOAL = { ratioAtLeast: 0.95 }

export const consoleMemory: BenchCase = {
  name: 'console-memory',
  about: `heap of a page with ${CHARTS} live charts in the last minutes of \`--minutes\`, against those from minute ${BASELINE_MINUTE} on`,
  maxSeconds: 6 * 3600,
  isOnRequest: true,
  async run(bench) {
    const { minutes, rate } = bench.sizes
    if (minutes < LEAST_MINUTES) throw new Error(`--minutes takes at least ${LEAST_MINUTES}`)
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, CHARTS)
    await createWatcher(platform)
    const boardId = await createBoard(platform, {
      displayName: 'Live board',
      widgets: devices.map(({ id }) => makeChart([{ assetId: id, name: SIGNAL }])),
      size: { w: 2, h: 3 },
    })
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, devices)
    // A chart without any value is not drawn.
    await fleet.call('publishAtRate', CHARTS, 2)
    const address = `${platform.server().endpoints.http}/console/dashboards/${boardId}?range=5m`
    const { page } = await bench.use(startBrowser(address))
    // Charts are drawn when they are in view.
    await page.setViewportSize({ width: 1440, height: 2200 })
    await signIn(page)
    await page
      .getByRole('application')
      .nth(CHARTS - 1)
      .waitFor({ state: 'attached' })
    const publishing = fleet.call('publishAtRate', CHARTS * rate, minutes * 60)
    const [readings] = await Promise.all([readEachMinute(bench, page), publishing])
    return findGrowth(readings)
  },
}

interface Reading {
  heapMebibytes: number
  elements: number
  listeners: number
}

async function readEachMinute(bench: Bench, page: Page): Promise<Reading[]> {
  const session = await page.context().newCDPSession(page)
  const readings: Reading[] = []
  const startMs = performance.now()
  for (let minute = 0; minute <= bench.sizes.minutes; minute++) {
    await sleep(startMs + minute * 60_000 - performance.now())
    // A page that gets no values would not grow either. On a busy machine it may be cut off for a while.
    if (minute > 0) await page.getByTitle(/^Live, newest value \d+ sec ago$/).waitFor({ timeout: 0 })
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage')
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
    const reading = {
      heapMebibytes: (usedSize + backingStorageSize) / MEBIBYTE,
      elements: nodes,
      listeners: jsEventListeners,
    }
    bench.progress(
      `minute ${minute}: ${reading.heapMebibytes.toFixed(2)} MiB, ${nodes} nodes, ${jsEventListeners} listeners`,
    )
    readings.push(reading)
  }
  return readings
}

function findGrowth(readings: Reading[]): Finding[] {
  const baseline = readings.slice(BASELINE_MINUTE, BASELINE_MINUTE + COMPARED_MINUTES)
  const last = readings.slice(-COMPARED_MINUTES)
  const findOne = (measure: string, unit: string, read: (reading: Reading) => number) =>
    compare({
      measure: `${measure} after ${readings.length - 1} minutes of ${CHARTS} live charts`,
      unit,
      better: 'less',
      rounds: last.map(read),
      baseline: { name: `from minute ${BASELINE_MINUTE} on`, rounds: baseline.map(read) },
      goal: GOAL,
      details: { most: Math.max(...readings.map(read)) },
    })
  return [
    findOne('JavaScript heap with its arrays', 'MiB', ({ heapMebibytes }) => heapMebibytes),
    findOne('nodes of the document', 'nodes', ({ elements }) => elements),
    findOne('event listeners', 'listeners', ({ listeners }) => listeners),
  ]
}
