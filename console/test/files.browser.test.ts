import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { chooseGerman, openAs, openAsViewer, typeInEditor } from './harness/editor.ts'
import { hostileNames } from './harness/fixtures.mjs'
import { makeFiles, pixel } from './harness/files.mjs'

const LIMIT = 4_000_000

describe.skipIf(!hasBrowser())('files', () => {
  let world: TestConsole
  let made: Awaited<ReturnType<typeof makeFiles>>
  beforeAll(async () => {
    world = await startConsole({ GANGWAY_UPLOAD_LIMIT: String(LIMIT) })
    made = await makeFiles(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('files are uploaded one after the other; one that is too large is refused with the reason, and the rest arrives', async () => {
    await using guarded = await world.openSignedIn('/files')
    const { page } = guarded
    const binary = randomBytes(3_000_000)
    await page.getByRole('button', { name: 'Upload files' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[type=file]').setInputFiles([
      { name: hostileNames[0]!, mimeType: 'text/plain', buffer: Buffer.from('one\ntwo') },
      { name: 'huge.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(LIMIT + 2_000_000) },
      { name: 'image.bin', mimeType: 'application/octet-stream', buffer: binary },
    ])
    await dialog.getByRole('button', { name: 'Add tag' }).click()
    await dialog.getByRole('textbox', { name: 'Key of tag 1' }).fill('kind:of')
    await dialog.getByRole('textbox', { name: 'Value of tag 1' }).fill('up|load')
    await dialog.getByRole('button', { name: 'Upload 3 files' }).click()
    await dialog.getByText('Uploaded').nth(1).waitFor()
    await dialog.getByText(`A file has at most ${LIMIT} bytes here.`).waitFor()
    await dialog.getByText('payload_too_large').waitFor()
    await dialog.getByRole('button', { name: 'Remove huge.bin' }).click()
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'kind:of: up|load' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor()
    await page.getByTitle('image.bin', { exact: true }).click()
    await page.getByText('Files of type application/octet-stream are not shown here.').waitFor()
    expect(await readDownload(page)).toEqual({ name: 'image.bin', sha256: digest(binary) })
    expect(guarded.problems).toEqual([])
  })

  test('a picture is shown, replaced under its id, named by what uses it, and deleted', async () => {
    await using guarded = await world.openSignedIn(`/files/${made.logo}`)
    const { page } = guarded
    await page.getByRole('img', { name: 'Logo' }).waitFor()
    await page.locator('input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('<script>alert(1)</script>'),
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 things use it, and have the new content at once.').waitFor()
    await dialog.getByRole('button', { name: 'Replace file' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('<script>alert(1)</script>').waitFor()
    const replaced = await world.api('GET', `/v1/resources/${made.logo}`)
    expect(replaced.originalFileName).toBe('notes.txt')

    await page.getByRole('tab', { name: 'History' }).click()
    await page
      .getByRole('row', { name: /Changed/ })
      .getByText('Administrator')
      .waitFor()
    await page.getByRole('tab', { name: /Used by/ }).click()
    await page.getByRole('link', { name: 'House colors' }).waitFor()

    await page.getByRole('button', { name: 'Delete file' }).click()
    await dialog.getByText(/these 2, which refer to it, may break/).waitFor()
    await dialog.getByRole('link', { name: hostileNames[0] }).waitFor()
    await dialog.getByRole('textbox').fill('Logo')
    await dialog.getByRole('button', { name: 'Delete file' }).click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
    await expect(world.api('GET', `/v1/resources/${made.logo}`)).rejects.toThrow('404')
    expect(guarded.problems).toEqual([])
  })

  test('a file that came into use after the dialog was opened is not deleted, and the dialog then names what uses it', async () => {
    const [{ id: organizationId }] = await world.api('GET', '/v1/organizations')
    const picture = await made.upload('Late.png', pixel)
    await using guarded = await world.openSignedIn(`/files/${picture}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Delete file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing refers to it.').waitFor()
    await world.api('POST', '/v1/resources', {
      displayName: 'Late theme',
      organizationId,
      tags: { theme: 'x' },
      document: { logo: picture },
    })
    await dialog.getByRole('textbox').fill('Late.png')
    await dialog.getByRole('button', { name: 'Delete file' }).click()
    await dialog.getByText('conflict', { exact: true }).waitFor()
    await dialog.getByRole('link', { name: 'Late theme' }).waitFor()
    expect((await world.api('GET', `/v1/resources/${picture}`)).id).toBe(picture)
    expect(guarded.problems).toEqual([])
  })

  test('what uses a file and may not be seen is counted by its kind', async () => {
    const [{ id: rootId }] = await world.api('GET', '/v1/organizations')
    const plant = { displayName: 'Plant', parentOrganizationId: rootId }
    const { id: organizationId } = await world.api('POST', '/v1/organizations', plant)
    const document = { displayName: 'Sign', organizationId, document: {} }
    const { id: sign } = await world.api('POST', '/v1/resources', document)
    const uses = [organizationId, rootId, rootId].map((where) => ({
      displayName: 'Theme of a sign',
      organizationId: where,
      tags: { theme: 'x' },
      document: { logo: sign },
    }))
    for (const theme of uses) await world.api('POST', '/v1/resources', theme)
    const person = { name: 'Keeper', relation: 'resource_item_manager', organizationId }
    await using guarded = await openAs(world, person, `/files/${sign}?tab=uses`)
    const { page } = guarded
    await page.getByRole('link', { name: 'Theme of a sign' }).waitFor()
    await page.getByText('Theme: 2 that you may not see').waitFor()
    expect(await findAppearanceProblems(page, 'uses that may not be seen')).toEqual([])
    await page.getByRole('button', { name: 'Delete file' }).click()
    await page.getByRole('dialog').getByText('Theme: 2 that you may not see').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a document is made and edited; what somebody else saved meanwhile is not overwritten unseen', async () => {
    await using guarded = await world.openSignedIn('/files')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create document' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Shift plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Create document' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shift plan' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await typeInEditor(page, 'Document', '{"early": ["Anna"')
    await page.getByText('A document is a JSON object.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save document' }).isDisabled()).toBe(true)
    await typeInEditor(page, 'Document', '{"early": ["Anna"]}')
    await page.getByRole('button', { name: 'Save document' }).click()
    await page.getByText('Nothing unsaved').waitFor()

    await world.api('PATCH', `/v1/resources/${id}`, { document: { early: ['Otto'] } })
    await typeInEditor(page, 'Document', '{"late": ["Anna"]}')
    await page.getByRole('button', { name: 'Save document' }).click()
    await page.getByText('Somebody else has saved this document meanwhile.').waitFor()
    expect((await world.api('GET', `/v1/resources/${id}`)).document).toEqual({ early: ['Otto'] })
    await page.getByRole('button', { name: 'Go on with mine' }).click()
    await page.getByRole('button', { name: 'Save document' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect((await world.api('GET', `/v1/resources/${id}`)).document).toEqual({ late: ['Anna'] })

    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByRole('textbox', { name: 'Key of tag 1' }).fill('type')
    await page.getByRole('textbox', { name: 'Value of tag 1' }).fill('plan')
    await page.getByRole('button', { name: 'Save details' }).click()
    await expect
      .poll(async () => (await world.api('GET', `/v1/resources/${id}`)).tags)
      .toEqual({ type: 'plan' })
    expect(guarded.problems).toEqual([])
  })

  test('a theme is previewed while it is edited, and the console wears it once it is saved', async () => {
    const picture = await made.upload('Brand.png', pixel)
    await using guarded = await world.openSignedIn('/files')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create theme' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await page.getByRole('dialog').getByRole('button', { name: 'Create theme' }).click()
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor()
    await page.getByText('In use', { exact: true }).waitFor()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('#1b57b8, as chosen').waitFor()
    await page.getByRole('textbox', { name: 'Primary color' }).fill('#ffee00')
    await preview.getByText(/a shade that can be read/).waitFor()
    await page.getByRole('combobox', { name: 'Logo' }).click()
    await page.getByRole('option', { name: 'Brand.png' }).click()
    await preview.getByRole('img', { name: 'Logo' }).first().waitFor()
    await page.getByRole('tab', { name: 'Content' }).click()
    await page.getByText(picture).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(picture).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByRole('tab', { name: 'Theme' }).click()
    await page.getByRole('textbox', { name: 'Primary color' }).fill('red')
    await page.getByText('A color is # with').waitFor()
    await page.getByRole('button', { name: 'Save document' }).click()
    await page.getByText('validation_error').waitFor()
    await page.getByRole('textbox', { name: 'Primary color' }).fill('#7a1fa2')
    await page.getByRole('button', { name: 'Save document' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    const accent = () => page.locator('html').evaluate((html) => html.style.getPropertyValue('--accent'))
    await expect.poll(accent).toBe('rgb(122 31 162)')
    const logo = page.getByRole('navigation').locator('img')
    await expect.poll(() => logo.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1)
    expect(guarded.problems).toEqual([])
  })

  test('a viewer reads and changes nothing, and is told who can give the permission; the words are German, too', async () => {
    {
      await using guarded = await openAsViewer(world, `/files/${made.manual}?tab=details`)
      const { page } = guarded
      await page.getByText('You may look at this and not change it.').waitFor()
      // One of the deletion, and one of the notice.
      const why = page.getByRole('button', { name: 'Why?' })
      await expect.poll(() => why.count()).toBe(2)
      await why.last().click()
      await page.getByText(/You need the permission “manage”/).waitFor()
      await page.keyboard.press('Escape')
      await why.first().click()
      await page.getByText(/You need the permission “delete”/).waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => page.getByRole('button', { name: 'Save details' }).count()).toBe(0)
      await expect.poll(() => page.getByRole('button', { name: 'Replace file' }).isDisabled()).toBe(true)
      await expect.poll(() => page.getByRole('button', { name: 'Delete file' }).isDisabled()).toBe(true)
      await guarded.open('/files')
      await expect.poll(() => page.getByRole('button', { name: 'Upload files' }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Why?' }).first().waitFor()
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn('/files')
    await guarded.page.getByTitle('Manual', { exact: true }).waitFor()
    await chooseGerman(guarded.page)
    await guarded.page.getByRole('heading', { level: 1, name: 'Dateien' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function readDownload(page: Page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  return { name: download.suggestedFilename(), sha256: digest(await readFile(await download.path())) }
}
