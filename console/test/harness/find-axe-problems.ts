import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run: (
    options: object,
  ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules that look at colors. */
const ofColors = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/**
 * @param isRecolored whether the page was checked before, and since then only its color scheme has changed
 * @returns what WCAG 2.2 AA finds fault with on a page, as sentences
 */
export async function findAxeProblems(page: Page, isRecolored = false): Promise<string[]> {
  // By the debugger, which the policy of the page does not concern.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: Axe }).axe.run(options),
    // Writing down all that is right would take as long as finding what is wrong.
    { runOnly: isRecolored ? ofColors : standards, resultTypes: ['violations'] },
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

/** @returns what sticks out of the window to the right */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide in a window of ${clientWidth}`] : []
  })
