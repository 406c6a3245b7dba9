/** Measures the charts of the console in Chromium. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench, BenchCase } from '../bench-case.ts'
import { measureLoad, startBrowser } from '../measure/browser.ts'
import { measureFirstPages } from './console/first-page.ts'
import type { Finding } from '../measure/finding.ts'
import { readTreeSeconds } from '../measure/process-tree.ts'
import { median } from '../measure/statistics.ts'

const YEAR_MINUTES = 525_600
const ROUNDS = 5
const PANNED_FRAMES = 300
const LIVE = { count: 50, updatesPerSecond: 10 }
const SETTLE_MS = 4000
const page = fileURLToPath(new URL('../../../console/bench/', import.meta.url))

/** The functions that the page offers to the bench: `console/bench/main.tsx`. */
interface ChartBench {
  warmUp(): Promise<void>
  prepareYear(count: number): number
  showYear(): Promise<{ readMs: number; shownMs: number }>
  pan(frames: number): Promise<number[]>
  clear(): void
  showLive(options: typeof LIVE): void
}
declare const bench: ChartBench

export const consoleCharts: BenchCase = {
  name: 'console',
  about: 'in Chromium: first pages, a chart of a year of minutes, panning, and fifty live charts',
  maxSeconds: 360,
  isOnRequest: true,
  async run(context) {
    const first = await measureFirstPages(context)
    const site = await context.use(serveCharts())
    const year = await measureYear(context, site.url)
    return [...first, ...year, await measureLive(context, site.url)]
  },
}

async function measureYear(context: Bench, url: string): Promise<Finding[]> {
  const browser = await context.use(openCharts(url))
  await browser.page.evaluate(() => bench.warmUp())
  await browser.page.evaluate((count) => bench.prepareYear(count), YEAR_MINUTES)
  const shown: number[] = []
  const read: number[] = []
  // Processor time is more reliable than elapsed time on a busy machine.
  const processorMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = await readTreeSeconds(browser.pid)
    const { readMs, shownMs } = await browser.page.evaluate(() => bench.showYear())
    processorMs.push(((await readTreeSeconds(browser.pid)) - before) * 1000)
    shown.push(shownMs)
    read.push(readMs)
    if (round < ROUNDS - 1) await browser.page.evaluate(() => bench.clear())
    context.progress(
      `a year is on screen after ${Math.round(shownMs)} ms, ${Math.round(readMs)} of them for reading`,
    )
  }
  const before = await readTreeSeconds(browser.pid)
  const frames = (await browser.page.evaluate((count) => bench.pan(count), PANNED_FRAMES)).toSorted(
    (a, b) => a - b,
  )
  const frameProcessorMs = (((await readTreeSeconds(browser.pid)) - before) * 1000) / frames.length
  await browser[Symbol.asyncDispose]()
  return [
    {
      measure: `${YEAR_MINUTES.toLocaleString('en')} values on screen, from the text of the answer`,
      unit: 'ms',
      value: median(shown),
      goal: { valueAtMost: 400 },
      rounds: { value: shown },
      details: { readMs: median(read), processorMs: median(processorMs) },
    },
    {
      measure: 'mean time of a frame while a year is panned',
      unit: 'ms',
      value: frames.reduce((sum, frame) => sum + frame, 0) / frames.length,
      // 20 ms a frame, that is 50 frames a second.
      goal: { valueAtMost: 20 },
      details: {
        processorMs: frameProcessorMs,
        medianMs: median(frames),
        slowestOfTwentyMs: frames[Math.floor(frames.length * 0.95)]!,
      },
    },
  ]
}

async function measureLive(context: Bench, url: string): Promise<Finding> {
  const browser = await context.use(openCharts(url))
  const idle = await measureLoad(browser)
  await browser.page.evaluate((options) => bench.showLive(options), LIVE)
  await sleep(SETTLE_MS)
  const busy = await measureLoad(browser)
  await browser[Symbol.asyncDispose]()
  return {
    measure: `${LIVE.count} live charts with ${LIVE.updatesPerSecond} updates a second each, all processes of the browser`,
    unit: '% of a core',
    value: busy.allPercent,
    goal: { valueAtMost: 40 },
    details: { pagePercent: busy.pagePercent, emptyPagePercent: idle.allPercent },
  }
}

async function openCharts(url: string) {
  const browser = await startBrowser(url)
  await browser.page.waitForFunction(() => 'bench' in globalThis)
  return browser
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
}

/** Bundles the page and serves it. */
async function serveCharts() {
  const directory = await mkdtemp(join(tmpdir(), 'gangway-charts-'))
  const { build } = await import('vite')
  process.env.NODE_ENV = 'production'
  await build({ root: page, logLevel: 'warn', build: { outDir: directory, emptyOutDir: true } })
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://host').pathname
    readFile(join(directory, path === '/' ? 'index.html' : path)).then(
      (file) => response.setHeader('content-type', types[extname(path) || '.html'] ?? 'text/plain').end(file),
      () => response.writeHead(404).end(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
