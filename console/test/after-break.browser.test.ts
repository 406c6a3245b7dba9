/** Pages without live values, and alarms, equal a fresh load after a break of the real-time connection. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { above, consolePump, makeAlarms } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'
import { passSockets } from './harness/pass-sockets.ts'

describe.skipIf(!hasBrowser())('pages after a break', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 2 })
    await makeAssets(world.api)
    await makeAlarms(world.api)
    for (const [name, limit] of [
      ['Too fast', 50],
      ['Bursting', 100],
    ] as const)
      await world.api('POST', '/v1/alarms', {
        name,
        entityTypeId: consolePump,
        severity: 5,
        condition: above('pressure', limit),
      })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  async function openPassed(path: string) {
    const guarded = await world.openPage()
    const network = await passSockets(guarded.page)
    await guarded.open(path)
    await signIn(guarded.page, administrator)
    return { guarded, network }
  }

  test('a list without live values, after a restart of the server', async () => {
    const { guarded, network } = await openPassed('/assets')
    await using _page = guarded
    const { page } = guarded
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Pump 7').first().waitFor()
    network.cut()
    await world.server.kill('SIGKILL')
    await page.getByText(/^Reconnecting, values as of/).waitFor()
    await world.server.start()
    await world.api('PATCH', '/v1/assets/pump-7', { displayName: 'Renamed during the restart' })
    network.mend()
    await page.getByText('Renamed during the restart').first().waitFor()
    await expectFresh(page, '/assets', 'Renamed during the restart')
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  test.each([
    ['the alarm list', '/alarms', 'Too fast', 51.5],
    ['the alarms of an asset', '/assets/pump-7?tab=alarms', 'Bursting', 101.5],
  ])('in the middle of an alarm: %s', async (_what, path, alarm, pressure) => {
    await sendValues(world.api, 'pump-0000', { temperature: 95.5 })
    const { guarded, network } = await openPassed(path)
    await using _page = guarded
    const { page } = guarded
    await page.getByText('Too hot').first().waitFor()
    await expect.poll(() => page.getByText(alarm).count()).toBe(0)
    network.cut()
    await page.getByText(/^Reconnecting, values as of/).waitFor()
    // One alarm begins, another one ends.
    await sendValues(world.api, 'pump-0000', { temperature: 60, pressure })
    await vi.waitFor(async () => {
      const open = await world.api('GET', '/v1/alarms/status/entity/pump-7')
      const active = open.filter((status: { active: boolean }) => status.active)
      const names = active.map(({ alarmName }: { alarmName: string }) => alarmName)
      expect(names).toContain(alarm)
      expect(names).not.toContain('Too hot')
    })
    network.mend()
    await page.getByText(alarm).first().waitFor()
    await expectFresh(page, path, alarm)
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  test('a level of the tree that was loading at the break is read again', async () => {
    const guarded = await world.openPage()
    await using _page = guarded
    const { page } = guarded
    const network = await passSockets(page)
    const held: Route[] = []
    let asked = 0
    // The first question of the tree never gets an answer; the list beside it asks for another number of entries.
    await page.route(/\/v1\/tree\/children\?.*limit=200/, (route) =>
      asked++ === 0 ? void held.push(route) : route.continue(),
    )
    await guarded.open('/assets')
    await signIn(page, administrator)
    await page.getByText('Live', { exact: true }).waitFor()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    network.cut()
    await page.getByText(/^Reconnecting, values as of/).waitFor()
    network.mend()
    await vi.waitFor(() => expect(asked).toBe(2))
    await page.getByRole('treeitem', { name: 'Plant North' }).waitFor()
    await held[0]!.abort().catch(() => {})
    await page.getByRole('treeitem', { name: 'Plant North' }).waitFor()
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  async function expectFresh(page: Page, path: string, shown: string) {
    await using fresh = await world.openSignedIn(path)
    await fresh.page.getByText(shown).first().waitFor()
    await vi.waitFor(async () => expect(await readRows(page)).toEqual(await readRows(fresh.page)))
  }
})

/** The text of the rows, without ages. */
const readRows = (page: Page) =>
  page.locator('main#content').evaluate((main) => {
    const rows = [...main.querySelectorAll('[role="row"], [role="treeitem"]')].map((row) => {
      const copy = row.cloneNode(true) as Element
      for (const age of copy.querySelectorAll('[aria-hidden]')) age.remove()
      return copy.textContent
    })
    return rows
  })
