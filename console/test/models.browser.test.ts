import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer, typeInEditor } from './harness/editor.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'
import { makeModels, pumpDefinition, pumpModel } from './harness/models.mjs'

const pump = `/models/${encodeURIComponent(pumpModel)}`

describe.skipIf(!hasBrowser())('models', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeModels(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('the list is searched, and a model shows the contents and the list of its assets', async () => {
    await using guarded = await world.openSignedIn('/models')
    const { page } = guarded
    await page.getByTitle(hostileNames[2]!, { exact: true }).waitFor()
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('PUMP')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('row', { name: /Pump/ }).click()
    await page.getByRole('row', { name: /motor · rpm.*Telemetry.*integer/ }).waitFor()
    await page.getByRole('row', { name: /temperature.*°C/ }).waitFor()
    await page.getByRole('button', { name: 'Kind' }).click()
    await page.getByRole('menuitemradio', { name: 'Command (1)' }).click()
    await page.getByRole('row', { name: /restart.*integer → nothing/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByRole('tab', { name: 'Assets' }).click()
    await page.getByRole('row', { name: /Pump 7/ }).waitFor()
    await page.getByTitle(hostileNames[0]!, { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Definition' }).click()
    await page.getByRole('textbox', { name: 'Definition' }).getByText('quantitativeTypes').waitFor()
    await page.getByRole('button', { name: 'As code' }).click()
    await page.getByRole('dialog').getByText('curl').first().waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the palette finds a model by its name', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const { page } = guarded
    await page.getByRole('toolbar').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a page, device, asset or model' }).fill('pum')
    await page.getByRole('option', { name: pumpModel }).click()
    await page.getByRole('heading', { level: 1, name: 'Pump' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console${pump}`)
    expect(guarded.problems).toEqual([])
  })

  test('problems of the server are shown at their place and disappear when they are fixed', async () => {
    await using guarded = await world.openSignedIn('/models/create')
    const { page } = guarded
    await expect.poll(() => page.getByRole('button', { name: 'Create model' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'start with an example.' }).click()
    const outline = page.getByRole('complementary', { name: 'Outline' })
    await outline.getByRole('button', { name: /speed/ }).waitFor()
    const wrong = {
      ...pumpDefinition,
      '@id': 'dtmi:com:example:Fan;1',
      contents: [
        { '@type': 'Telemetry', name: 'rpm', schema: 'number' },
        { '@type': 'Property', name: 'on', schema: 'boolean', writeable: true },
      ],
    }
    const text = JSON.stringify(wrong, null, 2)
    await typeInEditor(page, 'Definition', text)
    await page.getByRole('button', { name: 'Create model' }).click()
    const problems = page.getByRole('region', { name: '2 problems' })
    const line = text.split('\n').findIndex((one) => one.includes('"number"')) + 1
    await problems.getByRole('button', { name: new RegExp(`^${line}:17 contents.0.schema`) }).click()
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('"number"')
    await page.locator('.cm-lintRange-error').first().waitFor()
    await outline.getByRole('button', { name: /has a problem.*rpm/ }).waitFor()
    await page.keyboard.insertText('"double"')
    await page.getByRole('region', { name: '1 problem', exact: true }).waitFor()
    await typeInEditor(page, 'Definition', '{"@id": ')
    await page.getByRole('region', { name: '1 problem', exact: true }).getByText('1:8').waitFor()
    await page.getByText('The definition is not a JSON object.').waitFor()
    await page.locator('input[type="file"]').setInputFiles({
      name: 'fan.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text.replace('"number"', '"double"').replace('writeable', 'writable')),
    })
    const editor = page.getByRole('textbox', { name: 'Definition' })
    await expect.poll(() => editor.textContent()).toContain('writable')
    await page.getByLabel('Name').fill('Fan')
    await page.getByRole('button', { name: 'Create model' }).click()
    await page.getByRole('heading', { level: 1, name: 'Fan' }).waitFor()
    await page.getByRole('row', { name: /rpm.*double/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a model in use shows that it cannot change, and gets a new version', async () => {
    await using guarded = await world.openSignedIn(`${pump}/edit`)
    const { page } = guarded
    await page.getByText('Assets use this model').waitFor()
    await page.getByLabel('Name').fill('Pump of the hall')
    await page.getByRole('button', { name: 'Save model' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pump of the hall' }).waitFor()
    await page.getByRole('button', { name: 'Edit model' }).click()
    const editor = page.getByRole('textbox', { name: 'Definition' })
    await editor.waitFor()
    await typeInEditor(page, 'Definition', JSON.stringify({ ...pumpDefinition, comment: 'changed' }))
    await page.getByRole('button', { name: 'Save model' }).click()
    await page.getByRole('alert').getByText('uses the model').waitFor()
    await expect.poll(() => editor.textContent()).toContain('changed')
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Version 2 of Pump of the hall' }).waitFor()
    await expect.poll(() => editor.textContent()).toContain('dtmi:com:example:Pump;2')
    await page.getByRole('button', { name: 'Create model' }).click()
    await page.getByText('version 2', { exact: true }).waitFor()
    await page.getByRole('tab', { name: /Versions/ }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await page.getByRole('button', { name: 'Delete model' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('dtmi:com:example:Pump;2')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete model' }).click()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await guarded.open(pump)
    await page.getByRole('button', { name: 'Delete model' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill(pumpModel)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete model' }).click()
    await page.getByRole('dialog').getByText('uses the model').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a draft survives a reload, is undone and discarded', async () => {
    await using guarded = await world.openSignedIn('/models/create')
    const { page } = guarded
    await page.getByRole('button', { name: 'start with an example.' }).click()
    const editor = page.getByRole('textbox', { name: 'Definition' })
    await expect.poll(() => editor.textContent()).toContain('temperature')
    await page.reload()
    await page.getByText(/^Restored, unsaved since/).waitFor()
    await expect.poll(() => editor.textContent()).toContain('temperature')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => editor.textContent()).not.toContain('temperature')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => editor.textContent()).toContain('temperature')
    await page.getByRole('link', { name: 'Models' }).first().click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a user without the manage permission sees the reason', async () => {
    await using guarded = await openAsViewer(world, `${pump}/edit`)
    const { page } = guarded
    await page.getByText('You may look at this model and not change it.').first().waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save model' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).first().click()
    await page
      .getByRole('dialog')
      .getByText(/You need the permission “manage”/)
      .waitFor()
    await guarded.open(pump)
    await page.getByRole('row', { name: /temperature/ }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Edit model' }).isDisabled()).toBe(true)
    expect(guarded.problems).toEqual([])
  })

  test('the pages are shown in German and report models that do not exist', async () => {
    await using guarded = await world.openSignedIn('/models')
    const { page } = guarded
    await chooseGerman(page)
    await page.getByRole('button', { name: 'Modell anlegen' }).click()
    await page.getByRole('button', { name: 'beginnen Sie mit einem Beispiel.' }).waitFor()
    await guarded.open('/models/dtmi:nothing;1')
    await page.getByRole('heading', { name: /gibt es nicht/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
