/** Reads whether a page shows its object, or a refusal. */
import type { Page } from 'playwright-core'

const closed = {
  refused: 'You may not see this',
  missing: 'This does not exist, or you may not see it',
} as const

/**
 * Waits until the page shows the object or a refusal; if neither appears, the test fails.
 *
 * @param name the name of the object
 */
export async function readShown(page: Page, name: string): Promise<'object' | keyof typeof closed> {
  const title = (text: string) => page.getByRole('heading', { name: text, exact: true })
  const { refused, missing } = { refused: title(closed.refused), missing: title(closed.missing) }
  const shown = page.getByRole('heading').filter({ hasText: name })
  await shown.or(refused).or(missing).first().waitFor()
  // A part of the page that shows the object may be refused: its title decides.
  const isTitle = (await page.getByRole('heading', { level: 1 }).filter({ hasText: name }).count()) > 0
  if (isTitle) return 'object'
  if ((await refused.count()) > 0) return 'refused'
  return (await missing.count()) > 0 ? 'missing' : 'object'
}

/** A refusal without its code and its request id. */
export async function findUnexplained(page: Page): Promise<string[]> {
  if ((await page.getByRole('heading', { name: closed.refused }).count()) === 0) return []
  const text = (await page.getByRole('alert').allTextContents()).join(' ')
  return /forbidden/.test(text) && /Request id/.test(text) ? [] : [`a refusal without its reason: ${text}`]
}
