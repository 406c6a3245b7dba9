// Chromium, and a page that is signed in. Plain JavaScript, since the screenshots are made without a compiler.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const candidates = [
  process.env.CHROMIUM,
  // Chromium without its window: a test takes half of the processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of a Chromium of this machine, or undefined. */
export const findChromium = () => candidates.find((path) => path && existsSync(path))

export const launchBrowser = () =>
  chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  })

/** The four looks in which every page has to be right. */
export const variants = [
  { name: '1440-light', width: 1440, height: 900, scheme: 'light' },
  { name: '1440-dark', width: 1440, height: 900, scheme: 'dark' },
  { name: '390-light', width: 390, height: 844, scheme: 'light' },
  { name: '390-dark', width: 390, height: 844, scheme: 'dark' },
]

/** A long limit: only a hanging action reaches it. */
const WAIT_MS = 120_000

export async function openContext(browser, { width, height, scheme }, options = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Zurich',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(WAIT_MS)
  context.on('page', watchRequests)
  return context
}

/** Requests of each page that have not ended. */
const openRequests = new WeakMap()

function watchRequests(page) {
  const open = new Set()
  openRequests.set(page, open)
  page.on('request', (request) => {
    // A new document ends the requests of the one before.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) open.clear()
    open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/** Signs in on the page that is open, and waits for the shell. */
export async function signIn(page, { email, password }) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('main#content').waitFor()
}

/**
 * Waits until a page shows what it loads: no request is on its way, no skeleton is shown, and drawing the last answer has
 * made no further request. A page that was just opened has to show something first, such as its heading.
 */
export async function untilSettled(page) {
  const open = openRequests.get(page)
  const until = Date.now() + WAIT_MS
  do {
    while (open.size > 0) {
      if (Date.now() > until)
        throw new Error(`no answer from ${[...open].map((one) => one.url()).join(', ')}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await page.waitForFunction(
      () =>
        document.querySelector('[role="status"][aria-label="Loading"], section[aria-busy="true"]') === null,
    )
    await page.evaluate(() => document.fonts.ready.then(() => true))
    await untilPainted(page)
    await untilIdle(page)
  } while (open.size > 0)
}

/** Charts draw in the frame after they have learned their size. */
export const untilPainted = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
      }),
  )

/** React may draw a page in parts, over several frames. */
const untilIdle = (page) =>
  page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => resolve())))
