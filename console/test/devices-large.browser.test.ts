import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { passSockets } from './harness/pass-sockets.ts'

const COUNT = 100_000
/** Devices that are inserted by one statement. */
const AT_ONCE = 5000
const STALE_MS = 10_000
/** The first page is small, so that it is there soon; the others are as large as the server allows. */
const REQUESTS = 1 + Math.ceil((COUNT - 100) / 1000)

describe.skipIf(!hasBrowser())('a list of 100,000 devices', () => {
  let database: TestDatabase
  let world: TestConsole
  beforeAll(async () => {
    database = await platformDatabase()
    world = await startConsole({ DATABASE_URL: database.url })
    await insertDevices()
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  /** Counts the requests for the list. */
  function countRequests(page: Page) {
    let requests = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/provider-clients') requests++
    })
    return () => requests
  }

  const readCount = async (page: Page) =>
    Number((await page.getByText(/ loaded| in all/).innerText()).replace(/ .*/, '').replaceAll(',', ''))

  /** Presses End until that many rows are loaded. */
  async function goTo(page: Page, count: number) {
    await page.getByRole('row', { name: /Device 000001/ }).focus()
    for (let before = await readCount(page); before < count; before = await readCount(page)) {
      const goOn = async () => {
        await page.keyboard.press('End')
        return readCount(page)
      }
      await expect.poll(goOn).toBeGreaterThan(before)
    }
  }

  test('the End key reaches its end with few requests, and only what is visible is drawn', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const { page } = guarded
    const readRequests = countRequests(page)
    await page.getByText('100 loaded').waitFor()
    await goTo(page, COUNT)
    await page.getByText('100,000 in all').waitFor()
    // The last page may have come after the key was pressed.
    await page.keyboard.press('End')
    await page.getByRole('row', { name: /Device 100000/ }).waitFor()
    expect(readRequests()).toBeLessThanOrEqual(REQUESTS)
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    expect(guarded.problems).toEqual([])
  })

  test('a search and a filter narrow it', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const { page } = guarded
    const search = page.getByRole('searchbox', { name: 'Search by name or id' })
    await search.fill('device 0999')
    await page.getByText('100 in all').waitFor()
    await page.getByRole('row', { name: /Device 099900/ }).waitFor()
    await search.fill('device 099999')
    await page.getByText('1 in all').waitFor()
    await page.getByRole('row', { name: /Device 099999/ }).waitFor()
    await search.fill('')
    await page.getByText('100 loaded').waitFor()
    await page.getByRole('button', { name: 'Connection' }).click()
    await page.getByRole('menuitemradio', { name: 'Online' }).click()
    await page.getByText('Nothing matches').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('many loaded pages are not read again when the page is focused, and are marked as outdated after a break', async () => {
    await using guarded = await world.openPage()
    const { page } = guarded
    const network = await passSockets(page)
    await guarded.open('/devices')
    await signIn(page, administrator)
    await page.getByText('100 loaded').waitFor()
    await goTo(page, 3100)
    const readRequests = countRequests(page)
    // On focus, the query library reads again what it has read that long ago.
    const loadedAtMs = Date.now()
    await expect.poll(() => Date.now() - loadedAtMs).toBeGreaterThan(STALE_MS)
    for (let focus = 0; focus < 3; focus++)
      await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    network.cut()
    await page.getByText(/^Reconnecting, values as of/).waitFor()
    network.mend()
    await page.getByText('There may be newer entries than are shown.').waitFor()
    expect(readRequests()).toBe(0)
    await page.getByRole('button', { name: 'Show the newest' }).click()
    await page.getByText('100 loaded').waitFor()
    expect(readRequests()).toBe(1)
    await expect.poll(() => page.getByText('There may be newer entries than are shown.').count()).toBe(0)
    expect(guarded.problems.filter((problem) => !problem.includes('WebSocket'))).toEqual([])
  })

  /** Straight into the database: a request each would take an hour. */
  async function insertDevices() {
    const [{ id: organizationId }] = await world.api('GET', '/v1/organizations')
    const devices = `(select 'device-' || lpad(n::text, 6, '0') as id, 'Device ' || lpad(n::text, 6, '0') as name
      from generate_series($2::int, $2::int + ${AT_ONCE} - 1) n) n`
    // All at once, the indexes of the search would take longer than a statement may.
    for (let first = 1; first <= COUNT; first += AT_ONCE) {
      await database.pool.query(
        `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
         select 'default', 'mqtt', id, $1, name, true from ${devices}`,
        [organizationId, first],
      )
      await database.pool.query(
        `insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
         select 'default', 'organization', $1::text, 'parent', 'provider_client', id from ${devices}`,
        [organizationId, first],
      )
    }
    // PostgreSQL does the same by itself within a minute.
    await database.pool.query('analyze provider_clients, relations')
  }
})
