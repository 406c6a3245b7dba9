/** What is wrong with the looks of a page, in light and dark, on a desktop and on a phone. */
import type { Page } from 'playwright-core'
import { untilPainted, untilSettled, variants } from './browser.mjs'
import type { GuardedPage } from './console.ts'
import { findAxeProblems, findOverflow } from './find-axe-problems.ts'

/**
 * Shows the page that is open in each variant, one after the other: a page that is loaded once for all four takes a
 * third of the time.
 * @param what names the page, or its state, in what is found
 */
export async function findAppearanceProblems(page: Page, what: string): Promise<string[]> {
  const found: string[] = []
  let shownWidth = 0
  for (const { name, width, height, scheme } of variants) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: scheme as 'light' | 'dark' })
    await untilPainted(page)
    const isRecolored = width === shownWidth
    shownWidth = width
    const problems = [...(await findAxeProblems(page, isRecolored)), ...(await findOverflow(page))]
    found.push(...problems.map((problem) => `${what}, ${name}: ${problem}`))
  }
  const [{ width, height }] = variants as [(typeof variants)[number]]
  await page.setViewportSize({ width, height })
  return found
}

/** Opens pages of the console one after the other. */
export async function findAppearanceProblemsOf(
  { page, open }: GuardedPage,
  paths: string[],
  untilReady: (page: Page, path: string) => Promise<unknown> = untilSettled,
): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    await open(path)
    // Attached: the heading of a dashboard in full screen is not visible.
    await page.getByRole('heading').first().waitFor({ state: 'attached' })
    await untilReady(page, path)
    found.push(...(await findAppearanceProblems(page, path)))
  }
  return found
}
