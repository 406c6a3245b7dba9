/** Two tabs of one browser that share the sign-in cookie. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from './harness/browser.mjs'
import {
  administrator,
  type GuardedPage,
  hasBrowser,
  startConsole,
  type TestConsole,
} from './harness/console.ts'

describe.skipIf(!hasBrowser())('two tabs', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** The statuses of a tab's token renewals, in order. */
  function countRenewals({ page }: GuardedPage) {
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/v1/auth/refresh')) statuses.push(response.status())
    })
    return statuses
  }

  test.each([
    ['one after the other, under a lock', false],
    ['at the same moment, where browsers have no locks', true],
  ])('both are renewed when their tokens expire: %s', async (_what, isWithoutLocks) => {
    await using first = await world.openPage()
    if (isWithoutLocks)
      await first.context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
    await first.page.clock.install()
    await first.open('/devices')
    await signIn(first.page, administrator)
    await using second = await world.openTab(first)
    await second.open('/devices')
    const tabs = [first, second]
    for (const { page } of tabs) await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    const renewals = tabs.map(countRenewals)
    // An access token lives for an hour.
    // The clock belongs to the browser context, so it moves for both tabs.
    await first.context.clock.fastForward('00:59:30')
    await Promise.all(tabs.map(({ page }) => page.getByRole('link', { name: 'Home', exact: true }).click()))
    for (const statuses of renewals) await expect.poll(() => statuses).toContain(200)
    await Promise.all(
      tabs.map(({ page }) => page.getByRole('link', { name: 'Devices', exact: true }).click()),
    )
    for (const { page } of tabs) {
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    }
    expect(renewals.flat()).not.toContain(401)
    // The session is still valid in both tabs: the server did not take the concurrent renewals for a stolen token.
    await first.page.reload()
    await first.page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    expect([...first.problems, ...second.problems]).toEqual([])
  })

  test('a session that has ended in both tabs is restored in both by one sign-in', async () => {
    await using first = await world.openSignedIn('/devices')
    await using second = await world.openTab(first)
    await second.open('/devices')
    const tabs = [first, second]
    for (const { page } of tabs) await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
    await endSignIns(world)
    // The real-time connection ends with the sign-in, so that the pages know at once.
    for (const { page } of tabs) await page.getByRole('dialog', { name: 'Your sign-in has ended' }).waitFor()
    await signIn(first.page, administrator)
    for (const { page } of tabs) {
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
      await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    }
    expect([...first.problems, ...second.problems]).toEqual([])
  })
})

/** Ends all sessions, as "sign out everywhere" in another browser does. */
async function endSignIns({ url }: TestConsole) {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const { email: username, password } = administrator
  const { accessToken } = await (await post('/v1/auth/login', { username, password })).json()
  await post('/v1/auth/logout', { everywhere: true }, { authorization: `Bearer ${accessToken}` })
}
