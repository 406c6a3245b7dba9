import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('the chart of an alarm', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('it grows while the alarm is active, also beside a zoom, and ends with the alarm', async () => {
    const readOpen = () => world.api('GET', '/v1/alarms/status/entity/pump-7')
    await sendValues(world.api, 'pump-0000', { temperature: 95.5 })
    await expect.poll(readOpen).toHaveLength(1)
    const [{ alarmStatusId }] = await readOpen()
    await using guarded = await world.openSignedIn(`/alarms/${alarmStatusId}`)
    const { page } = guarded
    const figure = page.getByRole('figure', { name: 'Values around the alarm Too hot' })
    const last = figure
      .getByRole('row', { name: /temperature/ })
      .getByRole('cell')
      .first()
    await expect.poll(() => last.innerText()).toBe('95.5')
    // The time of an open page goes on by itself each minute, and at once when the page is shown again.
    const showAgain = () =>
      page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    const expectLast = async (value: string) => {
      await expect
        .poll(async () => {
          await showAgain()
          return last.innerText()
        })
        .toBe(value)
    }
    await sendValues(world.api, 'pump-0000', { temperature: 97.25 })
    await expectLast('97.25')
    await figure.getByRole('button', { name: 'Zoom in' }).click()
    await figure.getByRole('button', { name: 'Reset the zoom' }).click()
    await sendValues(world.api, 'pump-0000', { temperature: 98 })
    await expectLast('98')
    await sendValues(world.api, 'pump-0000', { temperature: 20 })
    await page.getByText(/It was active for/).waitFor()
    await expectLast('20')
    expect(guarded.problems).toEqual([])
  })
})
