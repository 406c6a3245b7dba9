// Chromium, and a page that is signed in. Plain JavaScript, since the screenshots are made without a compiler.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const candidates = [
  process.env.CHROMIUM,
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
  return context
}

/** Signs in on the page that is open, and waits for the shell. */
export async function signIn(page, { email, password }) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('main#content').waitFor()
}

/** Waits until a page shows what it loads: no skeleton, and no request on its way for a moment. */
export async function untilSettled(page) {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(
    () => document.querySelector('[role="status"][aria-label="Loading"], section[aria-busy="true"]') === null,
  )
  await page.evaluate(() => document.fonts.ready)
}
