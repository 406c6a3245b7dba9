/** Measures how long the first page of the console takes, with an empty cache. */
import type { Browser, Page } from 'playwright-core'
import type { Bench } from '../../bench-case.ts'
import { startBrowser } from '../../measure/browser.ts'
import type { Finding } from '../../measure/finding.ts'
import { median } from '../../measure/statistics.ts'
import { signIn } from '../../platform/dashboards.ts'
import { startPlatform } from '../../platform/start.ts'

const ADMINISTRATOR = 'admin@example.com'
const WINDOW = { viewport: { width: 1440, height: 900 }, locale: 'en-GB' }
const ROUNDS = 7
const GOAL_MS = 1000

export async function measureFirstPages(bench: Bench): Promise<Finding[]> {
  const platform = await bench.use(startPlatform(bench))
  const url = `${platform.server().endpoints.http}/console/`
  const { page } = await bench.use(startBrowser(url))
  const browser = page.context().browser()!
  const out = await measure(bench, browser, { url, ...signInButton })
  await signIn(page, { email: ADMINISTRATOR, password: platform.adminPassword })
  await findIn(page, beginLink).waitFor()
  const state = await page.context().storageState()
  const home = await measure(bench, browser, { url, ...beginLink, state })
  return [
    makeFinding('Home, signed in, with an empty cache', home),
    makeFinding('sign-in page, with an empty cache', out),
  ]
}

/** The document of the page, for functions that run there: the bench is compiled without the types of a browser. */
declare const document: { querySelectorAll(selector: string): Iterable<{ textContent: string | null }> }

/** The element that has to be usable. */
interface Target {
  role: 'button' | 'link'
  name: string
}

const signInButton: Target = { role: 'button', name: 'Sign in' }
/** The main action of an installation without devices. */
const beginLink: Target = { role: 'link', name: 'Connect the first device' }

const findIn = (page: Page, { role, name }: Target) => page.getByRole(role, { name, exact: true })

interface Visit extends Target {
  url: string
  /** What a browser keeps between two visits, except its cache; absent for a first visit. */
  state?: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>
}

/** @returns milliseconds of each round from the navigation until the element is there */
async function measure(bench: Bench, browser: Browser, { url, state, ...target }: Visit): Promise<number[]> {
  const shownMs: number[] = []
  let storageState = state
  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.newContext({ ...WINDOW, ...(storageState && { storageState }) })
    const page = await context.newPage()
    const startMs = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    // A locator may check again only after half a second, which would be measured too.
    await page.waitForFunction(
      (name) => [...document.querySelectorAll('a, button')].some((one) => one.textContent?.trim() === name),
      target.name,
    )
    await findIn(page, target).click({ trial: true })
    shownMs.push(performance.now() - startMs)
    bench.progress(`${url} is usable after ${Math.round(shownMs.at(-1)!)} ms`)
    // Each visit replaces the refresh token.
    storageState &&= await context.storageState()
    await context.close()
  }
  return shownMs
}

const makeFinding = (name: string, shownMs: number[]): Finding => ({
  measure: `first page: ${name}`,
  unit: 'ms',
  value: median(shownMs),
  goal: { valueAtMost: GOAL_MS },
  rounds: { value: shownMs },
})
