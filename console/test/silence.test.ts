/** A server that does not respond, and a page that was suspended. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'

const path = '/devices/plant/pump-0000'

describe.skipIf(!hasBrowser())('unresponsive server and suspended page', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 2 })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('a request without a response ends with an error and can be repeated', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await page.addInitScript(shortenTimeouts)
    await guarded.open('/onboarding/trace')
    await signIn(page, administrator)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.route('**/v1/provider-clients?*', () => {})
    // The first link is the one in the rail; the onboarding steps have another link "Devices".
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    const alert = page.getByRole('alert')
    await alert.getByText(/The server has not answered within 35\s?sec/).waitFor()
    await page.unroute('**/v1/provider-clients?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row', { name: /Pump 0/ }).waitFor()
    await expect.poll(() => alert.count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('rows remain when they cannot be refreshed, with the reason why they are outdated', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const { page } = guarded
    await page.getByRole('row', { name: /Pump 0/ }).waitFor()
    await page.route('**/v1/provider-clients?*', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'x-request-id': 'of-the-proxy-7' },
        json: { error: 'unavailable', message: 'The database does not answer. Try again.', details: {} },
      }),
    )
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('The newest state could not be loaded. What is shown is older.').waitFor()
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByRole('alert').getByText('of-the-proxy-7').waitFor()
    await guarded.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy Request id' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('of-the-proxy-7')
    await page.unroute('**/v1/provider-clients?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Pump 0/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test.each([
    ['frozen for a moment, so that the connection is resumed', false],
    ['asleep for so long that the server has given the connection up', true],
  ])('a tab that was %s equals a fresh load', async (_what, isLong) => {
    const before = isLong ? 20 : 10
    await sendValues(world.api, 'pump-0000', { temperature: before })
    await using guarded = await world.openSignedIn(path)
    const { page, context } = guarded
    await page.getByText(String(before), { exact: true }).first().waitFor()
    const session = await context.newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    if (isLong) await context.setOffline(true)
    await sendValues(world.api, 'pump-0000', { temperature: before + 1, [`added${before}`]: true })
    await world.api('PATCH', '/v1/providers/plant/clients/pump-0000', { displayName: `Pump ${before}` })
    if (isLong) {
      // The server keeps unsent messages for a while; a restart discards them at once.
      await world.server.kill('SIGKILL')
      await world.server.start()
      await context.setOffline(false)
    }
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await page
      .getByText(String(before + 1), { exact: true })
      .first()
      .waitFor()
    await page.getByText(`added${before}`, { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1, name: `Pump ${before}` }).waitFor()
    await expect.poll(() => page.locator('[data-stale]').count()).toBe(0)
    await using fresh = await world.openSignedIn(path)
    await fresh.page.getByText(`added${before}`, { exact: true }).waitFor()
    await vi.waitFor(async () => expect(await readPage(page)).toEqual(await readPage(fresh.page)))
  })

  test('a list is loaded again after a suspension', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    await page.clock.install()
    await guarded.open('/devices')
    await signIn(page, administrator)
    await page.getByRole('row', { name: /Pump 1/ }).waitFor()
    await world.api('PATCH', '/v1/providers/plant/clients/pump-0001', { displayName: 'Renamed meanwhile' })
    // After a suspension, timers fire once and late; the fast-forward does the same.
    await page.clock.fastForward('00:20:00')
    await page.getByRole('row', { name: /Renamed meanwhile/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

/** Runs in the page and shortens the time limit of requests. */
function shortenTimeouts() {
  const setReal = globalThis.setTimeout
  const shorten = (run: () => void, ms?: number) => setReal(run, ms === 35_000 ? 1500 : ms)
  globalThis.setTimeout = shorten as typeof setTimeout
}

/** The text of a device page, without ages. */
const readPage = (page: Page) =>
  page.locator('main#content').evaluate((main) => {
    const list = main.querySelector('ul[aria-label="The last hour"]')!
    const signals = [...list.children].map((item) => {
      const reading = item.firstElementChild!.cloneNode(true) as Element
      for (const hidden of reading.querySelectorAll('[aria-hidden]')) hidden.remove()
      return reading.textContent
    })
    return [main.querySelector('h1')!.textContent, ...signals]
  })
