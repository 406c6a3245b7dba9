import { readFile } from 'node:fs/promises'
import { parquetReadObjects } from 'hyparquet'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'
import { passSockets } from './harness/pass-sockets.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const startMs = Date.parse('2026-10-20T00:00:00Z')
const spikeMs = startMs + 3 * DAY_MS + 7 * MINUTE_MS
const gap = { from: startMs + 4 * DAY_MS, to: startMs + 4 * DAY_MS + 5 * HOUR_MS }

const signals = 'signals=pump-0000/-/telemetry/flow,pump-0000/-/telemetry/open'
const fixed = (from: number, to: number) =>
  `range=${new Date(from).toISOString()}..${new Date(to).toISOString()}`
const week = `/explore?${signals}&${fixed(startMs, startMs + 7 * DAY_MS)}&zone=Europe/Zurich`

describe.skipIf(!hasBrowser())('explore', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await sendWeek(world.url)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/explore')
    const charts = [`${week}&table=on`, '/explore?signals=pump-0000/-/telemetry/temperature&range=1h']
    const found = await findAppearanceProblemsOf(guarded, ['/explore', ...charts], async (page, path) => {
      if (charts.includes(path)) await page.getByRole('application').waitFor()
      await untilSettled(page)
    })
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('signals are chosen in the list and are part of the address', async () => {
    await using guarded = await world.openSignedIn('/explore')
    const { page } = guarded
    await page.getByLabel('Find an asset or a device').fill('pump-0000')
    // The entries move when the search ends: a click at that moment would hit none.
    await page.getByLabel('All assets').getByText('Nothing found.').waitFor()
    await page.getByRole('button', { name: /^Pump 0/ }).click()
    await page.getByRole('checkbox', { name: 'temperature' }).click()
    await page.getByRole('application', { name: 'Chart of temperature' }).waitFor()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('signals'))
      .toBe('pump-0000/-/telemetry/temperature')
    expect(guarded.problems).toEqual([])
  })

  test('entries are marked until the search that the reader types has narrowed them', async () => {
    await using guarded = await world.openSignedIn('/explore')
    const { page } = guarded
    const devices = page.getByLabel('All devices').getByRole('list')
    await devices.waitFor()
    await expect.poll(() => devices.getAttribute('aria-busy')).toBe('false')
    const search = page.getByLabel('Find an asset or a device')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/v1/provider-clients?*search=*', async (route) => {
      await held
      await route.continue()
    })
    const asked = page.waitForRequest('**/v1/provider-clients?*search=*')
    await search.fill('pump-0001')
    await asked
    expect(await devices.getAttribute('aria-busy')).toBe('true')
    await expect.poll(() => devices.evaluate((list) => getComputedStyle(list).opacity)).toBe('0.45')
    answer()
    await expect.poll(() => devices.getAttribute('aria-busy')).toBe('false')
    await expect.poll(() => devices.getByRole('listitem').count()).toBe(1)
    expect(guarded.problems).toEqual([])
  })

  test('any time zone is chosen by typing a part of its name, and stands in the address', async () => {
    await using guarded = await world.openSignedIn(week)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    await page.getByRole('combobox', { name: 'Time zone' }).fill('azor')
    await page.getByRole('option', { name: 'Atlantic/Azores' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('zone')).toBe('Atlantic/Azores')
    expect(guarded.problems).toEqual([])
  })

  test('the zone of the asset is offered by its name, and two units have an axis each', async () => {
    await makeBoiler(world)
    const boiler = ['temperature', 'pressure'].map((name) => `boiler-1/-/telemetry/${name}`).join()
    const at = Date.parse('2026-10-21T22:30:00Z')
    await using guarded = await world.openSignedIn(
      `/explore?signals=${boiler}&${fixed(at - HOUR_MS, at + HOUR_MS)}&table=on`,
    )
    const { page } = guarded
    await page.getByRole('application', { name: 'Chart of temperature, pressure' }).waitFor()
    const legend = page.getByRole('table').first()
    await legend.getByText('71.3 °C').first().waitFor()
    await legend.getByText('210 kPa').first().waitFor()
    const zone = page.getByRole('combobox', { name: 'Time zone' })
    await zone.fill('boiler')
    await page.getByRole('option', { name: 'Of Boiler 1 (Asia/Tokyo)' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('zone')).toBe('Asia/Tokyo')
    await expect.poll(() => zone.inputValue()).toBe('Of Boiler 1 (Asia/Tokyo)')
    await page.getByRole('rowheader', { name: /22 Oct 2026, 07:30:00/ }).waitFor()
    await zone.fill('tokyo')
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Of Boiler 1 (Asia/Tokyo)'])
    expect(guarded.problems).toEqual([])
  })

  test('what is shown is exported whole as CSV and as Parquet, a file for each device', async () => {
    await sendValues(world.api, 'pump-0002', { level: 7 })
    const flow = `${signals},pump-0002/-/telemetry/level&${fixed(startMs, startMs + HOUR_MS)}&zone=UTC`
    await using guarded = await world.openSignedIn(`/explore?${flow}`)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    const save = async (format: RegExp, count: number) => {
      const saved: Download[] = []
      page.on('download', (download) => saved.push(download))
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: format }).click()
      await expect.poll(() => saved.length).toBe(count)
      page.removeAllListeners('download')
      return saved
    }
    const [csv] = await save(/^CSV/, 1)
    const lines = (await readFile((await csv!.path())!, 'utf8')).trim().split(/\r?\n/)
    expect(lines).toHaveLength(1 + 2 * 60)
    const [parquet, other] = await save(/^Parquet, 2 files/, 2)
    expect(parquet!.suggestedFilename()).toBe('gangway-pump-0000-2026-10-20.parquet')
    expect(other!.suggestedFilename()).toBe('gangway-pump-0002-2026-10-20.parquet')
    const bytes = await readFile((await parquet!.path())!)
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
    expect(rows).toHaveLength(2 * 60)
    expect(rows[0]).toMatchObject({ assetid: 'pump-0000', timeseries_name: 'flow', value: 100 })
    expect(guarded.problems).toEqual([])
  })

  test('the file of a week has the spike, in the greatest values of its buckets or as the sample that it was', async () => {
    await using guarded = await world.openSignedIn(week)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    const save = async (index: number) => {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: /^CSV/ }).nth(index).click()
      const text = await readFile((await (await saved).path())!, 'utf8')
      return text.trim().split(/\r?\n/)
    }
    const isSpike = (line: string) => /\b500$/.test(line)
    const buckets = await save(0)
    expect(buckets.filter(isSpike)).toEqual([expect.stringContaining('flow_max')])
    expect(buckets.length).toBeLessThan(7 * 1440)
    const whole = await save(1)
    expect(whole.filter(isSpike)).toEqual([expect.stringContaining(new Date(spikeMs).toISOString())])
    expect(whole).toHaveLength(1 + 2 * (7 * 1440 - 5 * 60))
    expect(guarded.problems).toEqual([])
  })

  test.each([7 * DAY_MS, DAY_MS, 4 * HOUR_MS, HOUR_MS])(
    'a spike of one sample is seen in %d ms',
    async (spanMs) => {
      const from = Math.min(spikeMs - spanMs / 2, startMs + 7 * DAY_MS - spanMs)
      const range = spanMs === 7 * DAY_MS ? fixed(startMs, startMs + spanMs) : fixed(from, from + spanMs)
      await using guarded = await world.openSignedIn(`/explore?signals=pump-0000/-/telemetry/flow&${range}`)
      const { page } = guarded
      await expect.poll(() => readLegend(page, 'flow')).toContain('500')
      // Only the spike reaches the upper half of the plot.
      await expect.poll(() => countUpperPixels(page)).toBeGreaterThan(20)
      expect(guarded.problems).toEqual([])
    },
  )

  test('a gap has no line: the cursor finds no value in it', async () => {
    await using guarded = await world.openSignedIn(week)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    await expect.poll(() => readLegend(page, 'flow')).toContain('500')
    const { left, width, top } = await findPlot(page)
    const xAt = (time: number) => left + ((time - startMs) / (7 * DAY_MS)) * width
    await page.mouse.move(xAt((gap.from + gap.to) / 2), top + 200)
    await page.getByText('no value').first().waitFor()
    await page.mouse.move(xAt(gap.to + 12 * HOUR_MS), top + 200)
    await page.getByText('no value').first().waitFor({ state: 'detached' })
    expect(guarded.problems).toEqual([])
  })

  test('keys move the cursor, read it aloud, zoom, pan and reset', async () => {
    await sendValues(world.api, 'pump-0002', { flow: 500, open: true })
    const signalsNow = signals.replaceAll('pump-0000', 'pump-0002')
    await using guarded = await world.openSignedIn(`/explore?${signalsNow}&range=1y&zone=UTC`)
    const { page } = guarded
    const chart = page.getByRole('application')
    await chart.waitFor()
    await expect.poll(() => readLegend(page, 'flow')).toContain('500')
    await chart.focus()
    // The chart takes keys a moment after it is shown.
    const readAtEnd = async () => {
      await page.keyboard.press('End')
      return page.locator('[aria-live="polite"]').allTextContents()
    }
    await expect
      .poll(readAtEnd)
      .toContainEqual(expect.stringMatching(/ UTC: flow [\d.]+.*open (?:true|false)/))
    await page.keyboard.press('+')
    await expect.poll(() => readSpan(page)).toBeCloseTo((365 * DAY_MS) / 2, -3)
    const before = readRange(page)!
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(() => readRange(page)!.from).toBeLessThan(before.from)
    await page.keyboard.press('-')
    await expect.poll(() => readSpan(page)).toBeCloseTo(365 * DAY_MS, -3)
    await page.keyboard.press('0')
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('1y')
    expect(guarded.problems).toEqual([])
  })

  test('the mouse zooms by dragging and with the wheel, and pans', async () => {
    await using guarded = await world.openSignedIn(week)
    const { page } = guarded
    await page.getByRole('application').waitFor()
    await expect.poll(() => readLegend(page, 'flow')).toContain('500')
    const { left, width, top } = await findPlot(page)
    await page.mouse.move(left + width / 4, top + 200)
    await page.mouse.down()
    await page.mouse.move(left + width / 2, top + 210, { steps: 5 })
    await page.mouse.up()
    await expect.poll(() => readSpan(page)).toBeLessThan(1.9 * DAY_MS)
    const zoomed = readRange(page)!
    await page.keyboard.down('Shift')
    await page.mouse.down()
    await page.mouse.move(left + width / 4, top + 200, { steps: 5 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await expect.poll(() => readRange(page)!.from).toBeGreaterThan(zoomed.from)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, 500)
    await page.keyboard.up('Control')
    await expect.poll(() => readSpan(page)).toBeGreaterThan(2 * DAY_MS)
    await page.getByRole('button', { name: 'Reset the zoom' }).click()
    await expect.poll(() => readSpan(page)).toBe(7 * DAY_MS)
    expect(guarded.problems).toEqual([])
  })

  test('the day on which clocks are set back shows both hours', async () => {
    const [from, to] = [Date.parse('2026-10-25T00:00:00Z'), Date.parse('2026-10-25T02:00:00Z')]
    await using guarded = await world.openSignedIn(
      `/explore?${signals}&${fixed(from, to)}&zone=Europe/Zurich&table=on`,
    )
    const { page } = guarded
    await page.getByRole('rowheader', { name: '25 Oct 2026, 02:30:00 CEST' }).waitFor()
    await page.getByRole('rowheader', { name: '25 Oct 2026, 02:30:00 CET' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a link shows the same to another user', async () => {
    await using guarded = await world.openSignedIn(`${week}&by=max&every=PT6H&table=on`)
    await guarded.page.getByRole('table').nth(1).waitFor()
    await untilSettled(guarded.page)
    const address = guarded.page.url().slice(`${world.url}/console`.length)
    await using other = await world.openSignedIn(address)
    await other.page.getByRole('table').nth(1).waitFor()
    await expect
      .poll(() => other.page.getByRole('table').nth(1).innerText())
      .toBe(await guarded.page.getByRole('table').nth(1).innerText())
    await expect.poll(() => other.page.getByLabel('Aggregate by').first().inputValue()).toBe('Maximum')
  })

  test('after a cut connection the page equals a fresh load', async () => {
    await using guarded = await world.openSignedIn('/explore')
    const { page } = guarded
    const network = await passSockets(page)
    await guarded.open('/explore?signals=pump-0001/-/telemetry/level&range=1h&table=on')
    await sendValues(world.api, 'pump-0001', { level: 1 })
    await expect.poll(() => readLegend(page, 'level')).toMatch(/\b1\b/)
    network.cut()
    await page
      .getByText(/^Reconnecting, values as of/)
      .first()
      .waitFor()
    for (const level of [21, 22, 23]) await sendValues(world.api, 'pump-0001', { level })
    network.mend()
    const readRows = () => page.getByRole('table').nth(1).innerText()
    // The newest value comes with the connection, those before it with the samples that are then read again.
    await expect.poll(readRows).toMatch(/\s23\s[^]*\s22\s[^]*\s21\s/)
    await expect.poll(() => readLegend(page, 'level')).toMatch(/level\s+23\s/)
    const rows = await readRows()
    await page.reload()
    await expect.poll(readRows).toBe(rows)
    expect(guarded.problems).toEqual([])
  })
})

/** Sends a week of values, one a minute, with one spike and a gap. SenML holds many times in one message. */
async function sendWeek(url: string) {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    expect(response.ok).toBe(true)
    return response
  }
  const signedIn = await post('/v1/auth/login', {
    username: administrator.email,
    password: administrator.password,
  })
  const { accessToken } = (await signedIn.json()) as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}`, 'x-provider-parser': 'senml' }
  for (let day = 0; day < 7; day++) {
    const records = Array.from({ length: 1440 }, (_, minute) => startMs + day * DAY_MS + minute * MINUTE_MS)
      .filter((at) => at < gap.from || at >= gap.to)
      .flatMap((at) => [
        { n: 'flow', t: at / 1000, v: at === spikeMs ? 500 : 100 + ((at / MINUTE_MS) % 10) },
        { n: 'open', t: at / 1000, vb: Math.floor(at / HOUR_MS) % 2 === 0 },
      ])
    await post('/v1/providers/plant/clients/pump-0000/telemetry', records, headers)
  }
}

const readLegend = (page: Page, name: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name }) })
    .first()
    .innerText()

function readRange(page: Page) {
  const [from, to] = (new URL(page.url()).searchParams.get('range') ?? '')
    .split('..')
    .map((text) => Date.parse(text))
  return to === undefined ? undefined : { from: from!, to }
}

function readSpan(page: Page): number {
  const range = readRange(page)
  return range ? range.to - range.from : 0
}

/** The area of the lines: the canvas without its axes. */
const findPlot = (page: Page) =>
  page.locator('.u-over').evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return { left, top, width, height }
  })

/** Counts pixels of the first series in the upper half of the plot. */
async function countUpperPixels(page: Page): Promise<number> {
  return page.locator('[role="application"] canvas').evaluate((canvas: HTMLCanvasElement) => {
    const box = canvas.getBoundingClientRect()
    const plot = canvas.parentElement!.querySelector('.u-over')!.getBoundingClientRect()
    const ratio = canvas.width / box.width
    const { data } = canvas
      .getContext('2d')!
      .getImageData(
        (plot.left - box.left) * ratio,
        (plot.top - box.top) * ratio,
        plot.width * ratio,
        (plot.height / 2) * ratio,
      )
    let count = 0
    // The series is blue; the grid and the text are grey.
    for (let index = 0; index < data.length; index += 4)
      if (data[index + 3]! > 100 && data[index + 2]! - data[index]! > 60) count++
    return count
  })
}

/** An asset with signals of two units, which reports its time zone. */
async function makeBoiler({ api }: TestConsole) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const modelId = 'dtmi:com:example:Boiler;1'
  const contents = [
    { '@type': ['Telemetry', 'Temperature'], name: 'temperature', schema: 'double', unit: 'degreeCelsius' },
    { '@type': ['Telemetry', 'Pressure'], name: 'pressure', schema: 'double', unit: 'kilopascal' },
    { '@type': 'Property', name: 'timeZone', schema: 'string' },
  ]
  const definition = { '@context': 'dtmi:dtdl:context;2', '@id': modelId, '@type': 'Interface', contents }
  await api('POST', '/v1/models', { displayName: 'Boiler', organizationId, definition })
  await api('POST', '/v1/assets', { id: 'boiler-1', displayName: 'Boiler 1', modelId, organizationId })
  await api('POST', '/v1/assets/boiler-1/bind', { autobindRemoteInstanceIds: ['pump-0001'] })
  await api('POST', '/v1/providers/plant/clients/pump-0001/reported', { timeZone: 'Asia/Tokyo' })
  const timestamp = '2026-10-21T22:30:00Z'
  await sendValues(api, 'pump-0001', { temperature: 71.3, pressure: 210, timestamp })
}
