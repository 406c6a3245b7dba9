/** Measures in Chromium whether a long list shows blanks while it is scrolled. */
import type { Page } from 'playwright-core'
import type { Bench, BenchCase } from '../bench-case.ts'
import { startBrowser } from '../measure/browser.ts'
import type { Finding } from '../measure/finding.ts'
import { signIn } from '../platform/dashboards.ts'
import { type Platform, startPlatform } from '../platform/start.ts'

const ADMINISTRATOR = 'admin@example.com'
const ROWS = 10_000
/** Pixels of one turn of the wheel: a quick scroll moves by more than the height of a usual window. */
const WHEEL_PX = 1200
const ROUNDS = 3

/** The parts of the DOM that this case uses: the bench compiles without types of browsers. */
interface PageElement {
  getBoundingClientRect: () => { top: number; bottom: number }
  querySelectorAll: (selector: string) => Iterable<PageElement>
}
declare const requestAnimationFrame: (onFrame: () => void) => void

/** Counts of one scroll through a list, from its beginning to its end. */
interface Scrolled {
  frames: number
  blankFrames: number
  /** Greatest height without a row in one frame. */
  blankPx: number
}

export const consoleList: BenchCase = {
  name: 'console-list',
  about: `in Chromium: a list of ${ROWS.toLocaleString('en')} devices is scrolled by the wheel`,
  maxSeconds: 900,
  isOnRequest: true,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    await insertRows(platform)
    const browser = await bench.use(startBrowser(`${platform.server().endpoints.http}/console/devices`))
    await signIn(browser.page, { email: ADMINISTRATOR, password: platform.adminPassword })
    await loadAll(bench, browser.page)
    const rounds: Scrolled[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const scrolled = await scrollThrough(browser.page)
      rounds.push(scrolled)
      bench.progress(`${scrolled.blankFrames} of ${scrolled.frames} frames had a blank`)
    }
    return [describe(rounds)]
  },
}

function describe(rounds: Scrolled[]): Finding {
  const blank = rounds.map(({ blankFrames }) => blankFrames)
  return {
    measure: `frames with a blank while ${ROWS.toLocaleString('en')} rows are scrolled by the wheel`,
    unit: 'frames',
    // The worst round: a median would hide a blank.
    value: Math.max(...blank),
    goal: { valueAtMost: 0 },
    rounds: { value: blank },
    details: {
      frames: rounds.reduce((sum, { frames }) => sum + frames, 0),
      blankPx: Math.max(...rounds.map(({ blankPx }) => blankPx)),
    },
  }
}

async function insertRows({ pool }: Platform): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from organizations where parent_organization_id is null',
  )
  const values = [rows[0]!.id, ROWS]
  const ids = `(select 'pump-' || lpad(n::text, 6, '0') as id from generate_series(1, $2::int) n) n`
  await pool.query(
    `insert into provider_clients (tenant_id, provider_id, id, organization_id, display_name, on_broker)
     select 'default', 'mqtt', id, $1, id, true from ${ids}`,
    values,
  )
  await pool.query(
    `insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
     select 'default', 'organization', $1::text, 'parent', 'provider_client', id from ${ids}`,
    values,
  )
}

/** Loads all pages by the key End. */
async function loadAll(bench: Bench, page: Page): Promise<void> {
  const all = page.getByText(`${ROWS.toLocaleString('en')} in all`)
  await page.locator('[data-row="0"]').focus()
  while ((await all.count()) === 0) {
    await page.keyboard.press('End')
    await page.waitForTimeout(50)
  }
  bench.progress(`${ROWS.toLocaleString('en')} rows are loaded`)
}

async function scrollThrough(page: Page): Promise<Scrolled> {
  const scroller = page.locator(':has(> [role="grid"])')
  await scroller.evaluate((element) => element.scrollTo({ top: 0 }))
  await page.locator('[data-row="0"]').hover()
  const watching = await scroller.evaluateHandle(watchFrames)
  const isAtEnd = () =>
    scroller.evaluate((element) => element.scrollTop + element.clientHeight >= element.scrollHeight - 1)
  while (!(await isAtEnd())) await page.mouse.wheel(0, WHEEL_PX)
  const scrolled = await watching.evaluate((watch) => watch.stop())
  if (scrolled.frames < ROWS / 100) throw new Error(`only ${scrolled.frames} frames were drawn`)
  return scrolled
}

/** In the page: compares the visible height with the rows in it, in each frame until it is stopped. */
function watchFrames(scroller: PageElement) {
  const found = { frames: 0, blankFrames: 0, blankPx: 0 }
  const [head, body] = scroller.querySelectorAll('[role="rowgroup"]')
  const measureBlank = () => {
    const area = body!.getBoundingClientRect()
    const window = scroller.getBoundingClientRect()
    const top = Math.max(area.top, head!.getBoundingClientRect().bottom)
    const bottom = Math.min(area.bottom, window.bottom)
    const rows = [...body!.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect())
    const covered = rows.reduce(
      (sum, row) => sum + Math.max(0, Math.min(row.bottom, bottom) - Math.max(row.top, top)),
      0,
    )
    return Math.max(0, bottom - top - covered)
  }
  let isStopped = false
  const onFrame = () => {
    if (isStopped) return
    const blankPx = measureBlank()
    found.frames++
    // Less than a pixel is rounding.
    if (blankPx > 1) found.blankFrames++
    found.blankPx = Math.max(found.blankPx, blankPx)
    requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)
  return {
    stop: () => {
      isStopped = true
      return found
    },
  }
}
