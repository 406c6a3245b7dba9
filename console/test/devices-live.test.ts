import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'
import { passSockets } from './harness/pass-sockets.ts'

const path = '/devices/plant/pump-0000'

describe.skipIf(!hasBrowser())('live values of a device after a break', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('values are marked as outdated while the socket is cut, and then equal those of a fresh load', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    const network = await passSockets(page)
    await guarded.open(path)
    await signIn(page, administrator)
    await page.getByText('71.3', { exact: true }).first().waitFor()
    network.cut()
    await page.getByText(/^Reconnecting\. These are the values as of/).waitFor()
    await expect.poll(() => page.locator('[data-stale]').count()).toBeGreaterThan(0)
    await sendValues(world.api, 'pump-0000', { temperature: 88.25, added: 1 })
    network.mend()
    await page.getByText('88.25', { exact: true }).first().waitFor()
    await expect.poll(() => page.locator('[data-stale]').count()).toBe(0)
    await expectFresh(world, page, 'added')
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  test('values are marked as outdated while an open socket is silent, and then equal those of a fresh load', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    const network = await passSockets(page)
    await guarded.open(path)
    await signIn(page, administrator)
    await page.getByText('88.25', { exact: true }).first().waitFor()
    network.silence()
    await page.getByText(/^Reconnecting\. These are the values as of/).waitFor()
    await expect.poll(() => page.locator('[data-stale]').count()).toBeGreaterThan(0)
    await sendValues(world.api, 'pump-0000', { temperature: 77.5, unheard: 1 })
    network.mend()
    await page.getByText('77.5', { exact: true }).first().waitFor()
    await expect.poll(() => page.locator('[data-stale]').count()).toBe(0)
    await expectFresh(world, page, 'unheard')
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  test('after a restart of the server, values equal those of a fresh load', async () => {
    await using guarded = await world.openSignedIn(path)
    const { page } = guarded
    await page.getByText('77.5', { exact: true }).first().waitFor()
    await world.server.kill('SIGKILL')
    await page.getByText(/^Reconnecting\. These are the values as of/).waitFor()
    await world.server.start()
    await sendValues(world.api, 'pump-0000', { temperature: 12.5, later: true })
    await page.getByText('12.5', { exact: true }).first().waitFor()
    await expectFresh(world, page, 'later')
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })
})

/** Names, values and times as a screen reader reads them, without ages. */
const readValues = (page: Page) =>
  page.getByRole('list', { name: 'The last hour' }).evaluate((list) =>
    [...list.children].map((item) => {
      const reading = item.firstElementChild!.cloneNode(true) as Element
      for (const hidden of reading.querySelectorAll('[aria-hidden]')) hidden.remove()
      return reading.textContent
    }),
  )

/** @param newest the signal that came last */
async function expectFresh(world: TestConsole, page: Page, newest: string) {
  await using fresh = await world.openSignedIn(path)
  for (const one of [page, fresh.page]) await one.getByText(newest, { exact: true }).first().waitFor()
  await vi.waitFor(async () => expect(await readValues(page)).toEqual(await readValues(fresh.page)))
}
