/** Live values that arrive between a query and its answer are kept, since the answer does not contain them. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { above, consolePump, makeAlarms } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'
import { passSockets } from './harness/pass-sockets.ts'

const SEND_MS = 100
/** Values that come while an answer is on its way. */
const BETWEEN = 4

describe.skipIf(!hasBrowser())('a device that sends all the time', () => {
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

  /** Sends 1, 2, 3 and so on. */
  function startSender(name: string) {
    const state = { sent: 0, isStopped: false }
    const stopped = (async () => {
      while (!state.isStopped) {
        await sendValues(world.api, 'pump-0001', { [name]: state.sent + 1 })
        state.sent++
        await new Promise((resolve) => setTimeout(resolve, SEND_MS))
      }
    })()
    return {
      /** Waits for that many further values. */
      goOn: (count: number) => {
        const wanted = state.sent + count
        return vi.waitFor(() => expect(state.isStopped || state.sent >= wanted).toBe(true))
      },
      /** @returns what was sent, the newest first */
      stop: async () => {
        state.isStopped = true
        await stopped
        return Array.from({ length: state.sent }, (_, index) => String(state.sent - index))
      },
    }
  }

  const openExplore = async (name: string) => {
    const guarded = await world.openPage()
    const network = await passSockets(guarded.page)
    const sender = startSender(name)
    await sender.goOn(1)
    let answers = 0
    await guarded.page.route('**/v1/timeseries/get', async (route) => {
      const response = await route.fetch()
      await sender.goOn(BETWEEN)
      await route.fulfill({ response })
      answers++
    })
    await guarded.open(`/explore?signals=pump-0001/-/telemetry/${name}&range=1h&table=on`)
    await signIn(guarded.page, administrator)
    await vi.waitFor(() => expect(answers).toBeGreaterThan(0))
    return { guarded, network, sender, readAnswers: () => answers }
  }

  test.each(['opening', 'focus', 'break'] as const)(
    'no value is missing after the %s of a page',
    async (cause) => {
      const { guarded, network, sender, readAnswers } = await openExplore(`after-${cause}`)
      await using _page = guarded
      const { page } = guarded
      const before = readAnswers()
      if (cause === 'focus') await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
      if (cause === 'break') {
        network.cut()
        await page
          .getByText(/^Reconnecting, values as of/)
          .first()
          .waitFor()
        await sender.goOn(BETWEEN)
        network.mend()
      }
      if (cause !== 'opening') await vi.waitFor(() => expect(readAnswers()).toBeGreaterThan(before))
      await sender.goOn(BETWEEN)
      const sent = await sender.stop()
      await expect.poll(() => readValues(page)).toEqual(sent)
      expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
    },
  )

  test('the alarm list has what begins and ends while it is loaded, and while it is read again', async () => {
    await sendValues(world.api, 'pump-0000', { temperature: 95.5, pressure: 1 })
    await using guarded = await world.openPage()
    const { page } = guarded
    let received = ''
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => (received += String(payload))),
    )
    // Each answer waits for one change of alarms; further questions are never answered.
    const changes = [
      { values: { pressure: 51 }, has: 'Too fast', hasNot: 'Bursting' },
      { values: { temperature: 60, pressure: 101 }, has: 'Bursting', hasNot: 'Too hot' },
    ]
    let asked = 0
    const hold = async (route: Route) => {
      const change = changes[asked++]
      if (change === undefined) return
      const response = await route.fetch()
      await sendValues(world.api, 'pump-0000', change.values)
      await vi.waitFor(() => expect(received).toContain(change.has))
      await route.fulfill({ response })
    }
    await page.route(/\/v1\/alarms\/status\?/, hold)
    await guarded.open('/alarms')
    await signIn(page, administrator)
    const list = page.getByRole('grid')
    await list.getByText('Too fast').waitFor()
    await list.getByRole('row', { name: /Too hot.*Active/ }).waitFor()
    await expect.poll(() => list.getByText('Bursting').count()).toBe(0)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await list.getByText('Bursting').waitFor()
    await list.getByRole('row', { name: /Too hot.*Over/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

/** The values in the table of the chart, the newest first. */
const readValues = (page: Page) => page.getByRole('table').nth(1).getByRole('cell').allInnerTexts()
