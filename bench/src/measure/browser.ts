/** Chromium with one page, and the load that the page makes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../console/test/harness/browser.mjs'
import { readTreeSeconds } from './process-tree.ts'

const LOAD_SECONDS = 15

export interface OpenBrowser extends AsyncDisposable {
  page: Page
  pid: number
}

/** Opens an address. @throws if there is no Chromium */
export async function startBrowser(url: string): Promise<OpenBrowser> {
  const executablePath = findChromium()
  if (executablePath === undefined)
    throw new Error('there is no Chromium; CHROMIUM names one at another path')
  const server = await chromium.launchServer({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
  const browser = await chromium.connect(server.wsEndpoint())
  const page = await browser.newPage({
    viewport: { width: 1440, height: 1600 },
    locale: 'en-GB',
    timezoneId: 'Europe/Zurich',
  })
  await page.goto(url)
  return { page, pid: server.process().pid!, [Symbol.asyncDispose]: () => server.close() }
}

/** Measures the processor time for 15 seconds: of all processes of the browser, and of the main thread of the page. */
export async function measureLoad({ page, pid }: OpenBrowser) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const readPage = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const [all, main, start] = [await readTreeSeconds(pid), await readPage(), performance.now()]
  await sleep(LOAD_SECONDS * 1000)
  const seconds = (performance.now() - start) / 1000
  return {
    allPercent: ((await readTreeSeconds(pid)) - all) * (100 / seconds),
    pagePercent: ((await readPage()) - main) * (100 / seconds),
  }
}
