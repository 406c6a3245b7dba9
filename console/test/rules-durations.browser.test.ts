import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { above, consolePump } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'

const MINUTE_MS = 60_000
const start = Date.now() - 180 * MINUTE_MS
const at = (minute: number) => new Date(start + minute * MINUTE_MS).toISOString()

/** Temperatures by minute: above 70 for 2, 20, 1 and 1 minutes, and then silence. */
const temperatures = [
  [0, 60],
  [10, 80],
  [12, 60],
  [20, 80],
  [40, 60],
  [60, 80],
  [61, 65],
  [62, 80],
  [63, 50],
] as const

describe.skipIf(!hasBrowser())('the times and the end of a rule', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    for (const [minute, temperature] of temperatures)
      await sendValues(world.api, 'pump-0000', { temperature, timestamp: at(minute) })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const makeRule = async (name: string): Promise<string> => {
    const rule = { name, entityTypeId: consolePump, entityIds: ['pump-7'] }
    return (await world.api('POST', '/v1/alarms', { ...rule, condition: above('temperature', 70) })).id
  }
  const link = (ruleId: string) => `/rules/${ruleId}?range=${at(-5)}..${at(100)}`

  test('end, hold, silence and lateness are filled in; the backtest follows, and the API has them', async () => {
    const ruleId = await makeRule('Timed')
    await using guarded = await world.openSignedIn(link(ruleId))
    const { page } = guarded
    const totals = (name: RegExp) =>
      page
        .getByRole('region', { name: 'Backtest' })
        .getByRole('row', { name })
        .getByRole('cell')
        .allInnerTexts()
    const expectTotals = async (activations: string[], longest: string[]) => {
      await expect.poll(() => totals(/^Activations/)).toEqual(activations)
      await expect.poll(() => totals(/^Longest/)).toEqual(longest)
    }
    await expectTotals(['4'], ['20 mins'])
    const end = page.getByRole('region', { name: 'Ends when' })
    await end.getByRole('button', { name: 'Add condition' }).click()
    await end.getByRole('combobox', { name: 'Signal' }).click()
    await page.getByRole('option', { name: 'temperature', exact: true }).click()
    await end.getByRole('combobox', { name: 'Comparison' }).click()
    await page.getByRole('option', { name: 'is below' }).click()
    await end.getByRole('textbox', { name: 'Value' }).fill('55')
    await expectTotals(['1', '4'], ['53 mins', '20 mins'])
    await fillDuration(page, 'Holds for', '5', 'minutes')
    await expectTotals(['1', '4'], ['38 mins', '20 mins'])
    await fillDuration(page, 'Also without data for', '30', 'minutes')
    await expectTotals(['2', '4'], ['38 mins', '20 mins'])
    await fillDuration(page, 'Ignore values later than', '1', 'hours')
    await page.getByText(/A backtest does not know when values arrived, and ignores this/).waitFor()
    await page.getByRole('button', { name: 'Save rule' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    await expectTotals(['2'], ['38 mins'])
    const saved = await world.api('GET', `/v1/alarms/${ruleId}`)
    expect(saved).toMatchObject({ forSeconds: 300, noDataSeconds: 1800, maxLatenessSeconds: 3600 })
    expect(JSON.parse(saved.clearCondition)).toEqual({ '<': [{ var: 'temperature' }, 55] })
    await page.reload()
    const duration = (name: string) => page.getByRole('textbox', { name, exact: true })
    await expect.poll(() => duration('Holds for').inputValue()).toBe('5')
    await expect.poll(() => duration('Also without data for').inputValue()).toBe('30')
    await expect.poll(() => duration('Ignore values later than').inputValue()).toBe('1')
    expect(guarded.problems).toEqual([])
  })

  test('the chart says at each time whether the draft and the saved rule would be active', async () => {
    await using guarded = await world.openSignedIn(link(await makeRule('Drawn')))
    const { page } = guarded
    const chart = page.getByRole('application', { name: /^Values, limits, and when/ })
    const read = async (minute: number, values: string) => {
      const index = temperatures.findIndex(([other]) => other === minute)
      await chart.press('Home')
      for (let step = 0; step < index; step++) await chart.press('ArrowRight')
      await page.getByText(`temperature ${temperatures[index]![1]}, limit 70 70, ${values}`).waitFor()
    }
    await read(10, 'This draft active')
    await read(12, 'This draft not active')
    await fillDuration(page, 'Holds for', '5', 'minutes')
    await page.getByText('Hatched: only the saved rule would be active.', { exact: false }).waitFor()
    await read(0, 'This draft not active, Saved rule not active')
    await read(10, 'This draft not active, Saved rule active, unlike the draft')
    await read(40, 'This draft not active, Saved rule not active')
    await page.getByRole('region', { name: 'Active when' }).getByRole('textbox', { name: 'Value' }).fill('55')
    await fillDuration(page, 'Holds for', '0', 'minutes')
    await page
      .getByText(/limit 55/)
      .first()
      .waitFor()
    await expect
      .poll(async () => {
        await chart.press('Home')
        return page.getByText(/This draft active, Saved rule not active/).count()
      })
      .toBe(1)
    expect(guarded.problems).toEqual([])
  })
})

async function fillDuration(page: Page, field: string, count: string, unit: string) {
  await page.getByRole('combobox', { name: `Unit of “${field}”` }).click()
  await page.getByRole('option', { name: unit }).click()
  await page.getByRole('textbox', { name: field, exact: true }).fill(count)
}
