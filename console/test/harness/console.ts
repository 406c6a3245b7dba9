/** A real server with the built console, and pages that watch what must never happen. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { onTestFailed, TestRunner } from 'vitest'
import { adminPassword, firstAdministrator } from '../../../server/test/harness/first-administrator.ts'
import { type ServerProcess, startServerProcess } from '../../../server/test/harness/server-process.ts'
import { findChromium, launchBrowser, openContext, variants } from './browser.mjs'
import { type Api, makeApi } from './fixtures.mjs'

export const administrator = { email: firstAdministrator.adminEmail, password: adminPassword }

/** False where there is no Chromium; the reason is printed once a file. */
export function hasBrowser(): boolean {
  const isThere = findChromium() !== undefined
  if (!isThere)
    console.warn('Skipped: there is no Chromium here. Install it: apt-get install chromium-headless-shell')
  return isThere
}

interface Credentials {
  email: string
  password: string
}

export type Variant = (typeof variants)[number]

export interface GuardedPage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** What must never happen: requests to other origins, violations of the policy, errors on the console. */
  problems: string[]
  /** Opens a page of the console. */
  open: (path: string) => Promise<void>
}

export interface TestConsole extends AsyncDisposable {
  server: ServerProcess
  api: Api
  url: string
  openPage: (variant?: Variant) => Promise<GuardedPage>
  /** Opens another tab of the same browser. */
  openTab: (beside: GuardedPage) => Promise<GuardedPage>
  /** Opens a page of the console as somebody who has signed in before: the administrator, unless told otherwise. */
  openSignedIn: (path: string, variant?: Variant, person?: Credentials) => Promise<GuardedPage>
}

export async function startConsole(environment: Record<string, string> = {}): Promise<TestConsole> {
  const server = await startServerProcess(environment)
  const browser = await launchBrowser()
  const url = server.endpoints.http
  const openPage = (variant: Variant = variants[0]!) => openGuarded(browser, url, variant)
  return {
    server,
    url,
    api: await makeApi(url, administrator),
    openPage,
    openTab: ({ context }) => watchPage(context, url),
    openSignedIn: async (path, variant, person = administrator) => {
      const guarded = await openPage(variant)
      await signInBefore(guarded.page, { url, person })
      await guarded.open(path)
      await guarded.page.locator('main#content').waitFor()
      return guarded
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Gives a browser what it keeps of a sign-in, without the form, which takes a second. */
async function signInBefore(page: Page, { url, person }: { url: string; person: Credentials }) {
  const response = await page.request.post(`${url}/v1/auth/login`, {
    data: { username: person.email, password: person.password, cookie: true },
  })
  if (!response.ok()) throw new Error(`${person.email} was not signed in: ${await response.text()}`)
  // A page of the origin without a script.
  await page.goto(`${url}/console/favicon.svg`)
  await page.evaluate(() => localStorage.setItem('gangway.signed-in', 'yes'))
}

async function openGuarded(browser: Browser, url: string, variant: Variant): Promise<GuardedPage> {
  return watchPage(await openContext(browser, variant), url)
}

async function watchPage(context: BrowserContext, url: string): Promise<GuardedPage> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    const isOwn = host === new URL(url).host || ['data:', 'blob:'].includes(protocol)
    if (!isOwn) problems.push(`a request left the origin: ${request.url()}`)
  })
  page.on('pageerror', (error) => problems.push(`an error was thrown: ${error.message}`))
  page.on('console', (message) => {
    // Chromium writes every refused request there; a page has to show those, and its test looks at that.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`the console has an error: ${message.text()}`)
  })
  return {
    page,
    context,
    problems,
    open: async (path) => {
      await page.goto(`${url}/console${path}`)
    },
    [Symbol.asyncDispose]: async () => {
      await describeForFailure(page)
      await context.close()
    },
  }
}

const DESCRIBE_MS = 2000

/** If the test that runs fails, its error says what its pages showed at their end. */
async function describeForFailure(page: Page): Promise<void> {
  if (TestRunner.getCurrentTest() === undefined || page.isClosed()) return
  const shown = await page.locator('body').ariaSnapshot({ timeout: DESCRIBE_MS }).catch(String)
  const { pathname, search } = new URL(page.url())
  onTestFailed(({ task }) => {
    const [error] = task.result?.errors ?? []
    if (error !== undefined) error.message += `\n${pathname}${search} showed\n${shown}`
  })
}
