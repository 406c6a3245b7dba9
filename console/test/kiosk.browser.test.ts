import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { type GuardedPage, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { everyKind, everyPart, makeDashboard, makeDashboards, sendTemperature } from './harness/dashboards.ts'
import { openAsViewer } from './harness/editor.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { hostileNames } from './harness/fixtures.mjs'

describe.skipIf(!hasBrowser())('dashboards on a screen', () => {
  let world: TestConsole
  let all: string
  beforeAll(async () => {
    world = await startConsole()
    all = await makeDashboards(world)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const makeLink = async (id: string, search = '') => {
    const body = { displayName: 'Screen', expiresAt: '2100-01-01T00:00:00Z' }
    const { token } = await world.api('POST', `/v1/dashboards/${id}/api-tokens`, body)
    return `/kiosk/${id}${search}#token=${token}`
  }
  /** A browser without a sign-in. */
  const openScreen = async (path: string): Promise<GuardedPage> => {
    const guarded = await world.openPage()
    await guarded.open(path)
    return guarded
  }
  const temperature = (page: Page) => page.getByRole('article', { name: 'temperature', exact: true }).first()

  test('a link is made, shows the dashboard live without a sign-in, and ends when it is revoked', async () => {
    await using guarded = await world.openSignedIn(`/dashboards/${all}?range=6h`)
    const { page } = guarded
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share' })
    await dialog.getByText('There is no link yet.').waitFor()
    await dialog.getByRole('button', { name: 'Make link' }).click()
    await dialog.getByText('Fill in this field.').waitFor()
    await dialog.getByLabel('Where the screen is').fill(hostileNames[0]!)
    await dialog.getByRole('button', { name: 'Make link' }).click()
    const link = await dialog.getByLabel('Link', { exact: true }).innerText()
    expect(link).toMatch(/\/console\/kiosk\/[0-9a-f-]{36}\?range=6h#token=gwt_\S+$/)

    await using screen = await world.openPage()
    const requested: string[] = []
    screen.page.on('request', (request) => requested.push(request.url()))
    await screen.page.goto(link)
    await temperature(screen.page).getByText('71.5').waitFor()
    await screen.page.getByText('Live', { exact: true }).waitFor()
    await sendTemperature(world, 64.25)
    await temperature(screen.page).getByText('64.3').waitFor()
    await screen.page.getByRole('article', { name: 'Another' }).getByText('64.3').waitFor()
    await expect.poll(() => screen.page.getByRole('link').count()).toBe(0)
    await expect.poll(() => screen.page.getByRole('navigation').count()).toBe(0)
    await expect.poll(() => screen.page.getByText('Nothing can be sent from this screen.').count()).toBe(2)
    // The token stays in the fragment and in memory.
    const token = new URL(link).hash.slice('#token='.length)
    expect(requested.filter((url) => url.replace(link, '').includes(token))).toEqual([])
    expect(requested.filter((url) => url.includes('/v1/') && /auth|permissions|models/.test(url))).toEqual([])
    const kept = await screen.page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    )
    expect(kept).not.toContain('gwt_')
    expect(await screen.page.context().cookies()).toEqual([])

    await dialog.getByRole('button', { name: `Revoke link ${hostileNames[0]}` }).click()
    const confirm = page.getByRole('dialog', { name: 'Revoke this link?' })
    await confirm.getByRole('textbox').fill(hostileNames[0]!)
    await confirm.getByRole('button', { name: 'Revoke link' }).click()
    await screen.page.getByRole('heading', { name: 'This link has ended' }).waitFor()
    await expect.poll(() => screen.page.getByText('64.3').count()).toBe(0)
    await screen.page.getByRole('button', { name: 'Try again' }).click()
    await screen.page.getByRole('heading', { name: 'This link has ended' }).waitFor()
    await dialog.getByText('There is no link yet.').waitFor()
    expect([...guarded.problems, ...screen.problems]).toEqual([])
  })

  test('it survives a restart of the server, marks values meanwhile, and follows changes of the dashboard', async () => {
    const value = everyKind('').widgets[1]!
    const id = await makeDashboard(world, { displayName: 'Changing', data: { version: 1, widgets: [value] } })
    await using screen = await openScreen(await makeLink(id))
    await temperature(screen.page).waitFor()
    await screen.page.getByText('Live', { exact: true }).waitFor()
    await world.server.kill('SIGKILL')
    await screen.page
      .getByText(/^Reconnecting, values as of/)
      .first()
      .waitFor()
    await world.server.start()
    await screen.page.getByText('Live', { exact: true }).waitFor()
    const text = {
      id: 'new',
      kind: 'text',
      position: { x: 0, y: 6, w: 4, h: 3 },
      options: { text: 'Just added' },
    }
    await world.api('PATCH', `/v1/dashboards/${id}`, { data: { version: 1, widgets: [value, text] } })
    // The screen reads the dashboard again every minute, without a person who would reload it.
    await screen.page.getByText('Just added').waitFor()
    await sendTemperature(world, 55.5)
    await temperature(screen.page).getByText('55.5').waitFor()
    // Chromium reports each attempt to connect.
    expect(screen.problems.filter((problem) => !problem.includes('WebSocket connection to'))).toEqual([])
  })

  test('tabs are chosen and stand in the address, which keeps the token; variables keep their values', async () => {
    const id = await makeDashboard(world, { displayName: 'Parts', data: await everyPart(world) })
    const link = await makeLink(id)
    await using screen = await openScreen(`${link.replace('#', '?variables=pump%3Dpump-0000#')}`)
    const { page } = screen
    await page.getByText('Pump: pump-7').waitFor()
    await expect.poll(() => page.getByRole('combobox').count()).toBe(0)
    await page.getByRole('tab', { name: hostileNames[1]! }).click()
    await expect.poll(() => page.url()).toContain('tab=two')
    await expect.poll(() => new URL(page.url()).hash).toBe(`#${link.split('#')[1]}`)
    await page.getByRole('article', { name: 'Hall', exact: true }).getByRole('img').waitFor()
    await page.reload()
    await page.getByRole('article', { name: 'Hall', exact: true }).getByRole('img').waitFor()
    expect(screen.problems).toEqual([])
  })

  test('an address without a token, with a wrong one, and of another dashboard says so', async () => {
    const other = await makeDashboard(world, { displayName: 'Not shared' })
    const link = await makeLink(all)
    await using screen = await openScreen(`/kiosk/${all}`)
    await screen.page.getByRole('heading', { name: 'This address is not complete' }).waitFor()
    await screen.open(`/kiosk/${all}#token=nonsense`)
    await screen.page.getByRole('heading', { name: 'This link has ended' }).waitFor()
    await screen.open(link.replace(all, other))
    await screen.page.getByText(/limited to what the dashboard .* shows/).waitFor()
    expect(screen.problems).toEqual([])
  })

  test('a viewer sees why he may not share, and his tokens are listed', async () => {
    await using viewer = await openAsViewer(world, `/dashboards/${all}`)
    await viewer.page.getByRole('button', { name: 'More actions' }).click()
    await viewer.page.getByRole('menuitem', { name: 'Share' }).click()
    await viewer.page.getByText('You may look at this dashboard and not share it.').waitFor()
    await expect.poll(() => viewer.page.getByRole('button', { name: 'Make link' }).count()).toBe(0)
    await makeLink(all)
    await using guarded = await world.openSignedIn('/api-tokens')
    const shown = guarded.page.getByRole('link', { name: 'show one dashboard' })
    await shown
      .and(guarded.page.locator(`[href*="${all}"]`))
      .first()
      .click()
    await guarded.page.getByRole('heading', { level: 1, name: 'Everything' }).waitFor()
    await guarded.page.getByRole('button', { name: 'More actions' }).click()
    await guarded.page.getByRole('menuitem', { name: 'Access' }).click()
    await guarded.page.getByRole('heading', { level: 1, name: /Everything/ }).waitFor()
    expect([...viewer.problems, ...guarded.problems]).toEqual([])
  })

  test('has no axe violations and no horizontal overflow', async () => {
    const parts = await makeDashboard(world, { displayName: hostileNames[0], data: await everyPart(world) })
    await using screen = await openScreen(await makeLink(all))
    const problems: string[] = []
    for (const path of [await makeLink(all), await makeLink(parts), `/kiosk/${all}`]) {
      await screen.open(path)
      // Another fragment alone would load no page.
      await screen.page.reload()
      await screen.page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(screen.page)
      problems.push(...(await findAppearanceProblems(screen.page, path)))
    }
    await using guarded = await world.openSignedIn(`/dashboards/${all}`)
    await guarded.page.getByRole('button', { name: 'More actions' }).click()
    await guarded.page.getByRole('menuitem', { name: 'Share' }).click()
    const link = guarded.page.getByRole('list', { name: 'Links of this dashboard' }).getByRole('listitem')
    await link
      .first()
      .getByText(/Ends.*2100/)
      .waitFor()
    problems.push(...(await findAppearanceProblems(guarded.page, 'share')))
    expect(problems).toEqual([])
    expect([...screen.problems, ...guarded.problems]).toEqual([])
  })
})
