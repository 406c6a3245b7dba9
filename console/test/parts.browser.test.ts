import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices } from './harness/fixtures.mjs'

const path = '/devices/plant/pump-0000'
const chartCode = /\/ChartView-[^/]*\.(js|css)$/

/** React waits for 300 ms of the page's clock before it replaces a fallback that is new. */
const MOST_MS = 200

describe.skipIf(!hasBrowser())('parts of a page', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('a page is shown as soon as its parts are loaded', async () => {
    await using guarded = await world.openSignedIn('/')
    const { page } = guarded
    // The page's time goes on only where it is told to, however long the machine takes.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await guarded.open('/devices')
    let elapsedMs = 0
    while (!(await page.getByRole('heading', { name: 'Devices' }).isVisible())) {
      elapsedMs += 1
      expect(elapsedMs).toBeLessThan(MOST_MS)
      await page.clock.runFor(1)
      await page.waitForTimeout(50)
    }
  })

  test('a page whose charts were loading when the server went away completes itself', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    const isAsked = (url: URL) => chartCode.test(url.pathname) || url.pathname === '/console/'
    await page.route(isAsked, (route) =>
      route.request().isNavigationRequest() ? route.continue() : route.abort('connectionrefused'),
    )
    await guarded.open(path)
    await signIn(page, administrator)
    await page.getByText('71.3', { exact: true }).first().waitFor()
    await page.locator('[data-chart-loads]').first().waitFor()
    await page.waitForRequest((request) => request.method() === 'HEAD')
    await page.unroute(isAsked)
    const chart = page.locator('.uplot').first()
    await chart.waitFor()
    // Its sheet failed, too.
    const position = await chart.locator('.u-wrap').evaluate((wrap) => getComputedStyle(wrap).position)
    expect(position).toBe('relative')
  })

  test('a page whose part is no longer on the server says so, and is loaded again', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await page.route(chartCode, (route) => route.fulfill({ status: 404 }))
    await guarded.open(path)
    await signIn(page, administrator)
    await page.getByText('the console was replaced by another version', { exact: false }).waitFor()
    await page.unroute(chartCode)
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.locator('.uplot').first().waitFor()
    await expect(page.getByRole('alert').count()).resolves.toBe(0)
  })
})
