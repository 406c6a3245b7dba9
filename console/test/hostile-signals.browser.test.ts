/** Names of signals come from devices: each is shown as text, has its chart, and leads to itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeDevices, sendValues } from './harness/fixtures.mjs'

const names = ['Power, active', 'flow rate', '100%2C', 'a/b', ...hostileNames]
const liveTab = '/devices/plant/pump-0000'
const idOf = (name: string) => `pump-0000/-/telemetry/${name}`
/** As the address of Explore has them. */
const writeIds = (signals: string[]) =>
  encodeURIComponent(
    signals.map((name) => idOf(name).replaceAll('%', '%25').replaceAll(',', '%2C')).join(','),
  )
const explore = `/explore?signals=${writeIds(names)}&range=1h&table=on`

describe.skipIf(!hasBrowser())('hostile names of signals', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await sendValues(world.api, 'pump-0000', Object.fromEntries(names.map((name, index) => [name, index])))
    await sendValues(
      world.api,
      'pump-0000',
      Object.fromEntries(names.map((name, index) => [name, index + 1])),
    )
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(names)(
    '%j is a text on the Live tab, with a chart, and its link opens it in Explore',
    async (name) => {
      await using guarded = await world.openSignedIn(`${liveTab}?signal=${encodeURIComponent(name)}`)
      const { page } = guarded
      const signal = page
        .getByRole('list', { name: 'The last hour' })
        .getByRole('listitem')
        .filter({ has: page.locator('bdi').getByText(name, { exact: true }) })
      await signal.getByRole('figure').waitFor()
      await signal.getByRole('link').click()
      await expect
        .poll(() => page.getByRole('application').getAttribute('aria-label'))
        .toBe(`Chart of ${name}`)
      await expect
        .poll(() => page.locator('main#content').locator('tr bdi').allTextContents())
        .toContain(name)
      expect(guarded.problems).toEqual([])
    },
  )

  test('they are texts in the legend and the table of Explore, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn(explore)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    for (const table of [0, 1]) {
      const found = page.getByRole('table').nth(table).locator('bdi')
      await expect.poll(() => found.allTextContents()).toEqual(expect.arrayContaining(names))
    }
    const problems = await findAppearanceProblemsOf(guarded, [explore, liveTab], async () => {
      await page.getByRole('figure').or(page.getByRole('application')).first().waitFor()
      await untilSettled(page)
    })
    expect(problems).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
