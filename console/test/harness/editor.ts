/** Helpers for editors, for fields that search, and for users with fewer rights. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { adminPassword } from '../../../server/test/harness/first-administrator.ts'
import type { GuardedPage, TestConsole } from './console.ts'

/** Replaces the text of an editor. */
export async function typeInEditor(page: Page, name: string, text: string) {
  await page.getByRole('textbox', { name, exact: true }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/**
 * Searches in a field for what only one option has, and chooses that. An option of the list before would move away when
 * the answer comes.
 */
export async function chooseFound(field: Locator, searched: string, name: string | RegExp = searched) {
  const page = field.page()
  await field.fill(searched)
  await expect
    .poll(async () => {
      const labels = await page.getByRole('option').allInnerTexts()
      // A text that is the whole label of a listed option is not searched for.
      return labels.length === 1 || labels.includes(searched)
    })
    .toBe(true)
  await page.getByRole('option', { name, exact: true }).click()
}

/** Signs in as a user who may view everything and change nothing. */
export const openAsViewer = (world: TestConsole, path: string): Promise<GuardedPage> =>
  openAs(world, { name: 'Viewer', relation: 'viewer' }, path)

interface Person {
  /** Also the name of the mail address. */
  name: string
  relation: string
  /** The uppermost one, if none is given. */
  organizationId?: string
}

/** Makes a user, and signs in as this user in a browser of its own. */
export async function openAs(
  world: TestConsole,
  { name, relation, organizationId }: Person,
  path: string,
): Promise<GuardedPage> {
  const email = `${name.toLowerCase()}@example.com`
  const [uppermost] = await world.api('GET', '/v1/organizations')
  const { id } = await world.api('POST', '/v1/users', { displayName: name, email, password: adminPassword })
  await world.api('POST', '/v1/relations', {
    subjectType: 'user',
    subjectId: id,
    relation,
    resourceType: 'organization',
    resourceId: organizationId ?? uppermost.id,
  })
  return world.openSignedIn(path, undefined, { email, password: adminPassword })
}

export async function chooseGerman(page: Page) {
  await page.getByRole('button', { name: 'Account and preferences' }).click()
  const german = page.getByRole('menuitemradio', { name: 'Deutsch' })
  await german.click()
  await page.getByRole('button', { name: 'Konto und Einstellungen' }).waitFor()
  await page.keyboard.press('Escape')
  await german.waitFor({ state: 'detached' })
}
