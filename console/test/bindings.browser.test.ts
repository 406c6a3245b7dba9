import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseFound, chooseGerman, openAsViewer, typeInEditor } from './harness/editor.ts'
import { makeDevices, sendValues } from './harness/fixtures.mjs'
import { makeModels } from './harness/models.mjs'

const list = '/assets/pump-7/bindings'
const temperature = `${list}/-/telemetry/temperature`

describe.skipIf(!hasBrowser())('bindings', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeModels(world.api)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const readBinding = async (key: string) => {
    const { bindings } = await world.api('GET', '/v1/assets/pump-7/bindings')
    return bindings.find((one: { localEndpointId: string }) => one.localEndpointId === `pump-7/${key}`)
  }

  test('the list shows bound, failing and unbound endpoints, and links to the editor', async () => {
    await using guarded = await world.openSignedIn(list)
    const { page } = guarded
    await page.getByRole('row', { name: /temperature.*Bound/ }).waitFor()
    await page.getByRole('row', { name: /pressure.*Not bound/ }).waitFor()
    await page.getByRole('row', { name: /restart.*Ignored/ }).waitFor()
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('menuitemradio', { name: 'Failing (1)' }).click()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('failing')
    await page.getByRole('row', { name: /running/ }).click()
    await page.getByRole('heading', { level: 1, name: 'running' }).waitFor()
    await page.getByText('does not fit the schema boolean').first().waitFor()
    await page.getByText('Would not be stored').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the inverse transform of a property is previewed for a value to try', async () => {
    await using guarded = await world.openSignedIn(`${list}/-/property/speed`)
    const { page } = guarded
    const source = page.getByRole('group', { name: 'Source value' })
    await chooseFound(source.getByLabel('Device or asset'), 'pump-0000', /pump-0000/)
    const panel = page.getByRole('region', { name: 'What the device gets' })
    await typeInEditor(page, 'Inverse transform', '{"*": [{"var": "value"}, 10]}')
    await panel.getByLabel('Value to try').fill('7')
    await panel.getByText('Would be sent').waitFor()
    await panel.getByText('70', { exact: true }).waitFor()
    await panel.getByText('pump-0000 · speed').waitFor()
    await panel.getByLabel('Value to try').fill('fast')
    await panel.getByText('Would not be sent').waitFor()
    await panel.getByText('the value does not fit the schema integer').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the preview follows the input and marks problems at their fields', async () => {
    await using guarded = await world.openSignedIn(temperature)
    const { page } = guarded
    const preview = page.getByRole('region', { name: 'What becomes of the last values' })
    await preview.getByText('100', { exact: true }).waitFor()
    await preview.getByText('212', { exact: true }).waitFor()
    await preview.getByText('°C').waitFor()
    await typeInEditor(page, 'Transform', '{"+": [{"var": "fahrenheit"}, 1]}')
    await preview.getByText('213', { exact: true }).waitFor()
    await typeInEditor(page, 'Transform', '{"+": [{"plus": 1}, 1]}')
    await page.getByRole('alert').getByText('has the operator plus').waitFor()
    await page.locator('.cm-lintRange-error').first().waitFor()
    await page.getByText('1 problem').waitFor()
    await typeInEditor(page, 'Transform', '{"+": [')
    await page.getByText('A transform is not a JSON object.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save binding' }).isDisabled()).toBe(true)
    await typeInEditor(page, 'Transform', '{"*": [{"var": "fahrenheit"}, 2]}')
    await preview.getByRole('button', { name: 'Try another value' }).click()
    await preview.getByRole('textbox', { name: 'Value of fahrenheit to try' }).fill('"hot"')
    await preview.getByText('Would not be stored').waitFor()
    await preview.getByRole('textbox').fill('4')
    await preview.getByText('8', { exact: true }).waitFor()
    expect((await readBinding('-/telemetry/temperature')).transform).toHaveProperty('/')
    expect(guarded.problems).toEqual([])
  })

  test('completion offers operators and the names of the sources', async () => {
    await using guarded = await world.openSignedIn(temperature)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Transform', exact: true }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{"ma')
    await page.getByRole('option', { name: 'max' }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{"var": "fah')
    await page.getByRole('option', { name: 'fahrenheit' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a draft is undone, restored after a reload, protected from being lost, and saved', async () => {
    await using guarded = await world.openSignedIn(temperature)
    const { page } = guarded
    const editor = page.getByRole('textbox', { name: 'Transform', exact: true })
    await editor.waitFor()
    await typeInEditor(page, 'Transform', '{"-": [{"var": "fahrenheit"}, 5]}')
    await page.getByText(/^Unsaved since/).waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(() => editor.textContent()).toContain('1.8')
    await page.getByRole('button', { name: 'Redo' }).click()
    await expect.poll(() => editor.textContent()).toContain('5')
    await page.reload()
    await page.getByText(/^Restored, unsaved since/).waitFor()
    await expect.poll(() => editor.textContent()).toContain('5')
    await page.getByRole('link', { name: 'Bindings of Pump 7' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('tab', { name: 'JSON' }).click()
    const raw = page.getByRole('textbox', { name: 'JSON', exact: true })
    await expect.poll(() => raw.textContent()).toContain('"pump-0000/-/telemetry/temperature"')
    const entry = JSON.parse((await raw.locator('.cm-line').allTextContents()).join('\n'))
    await typeInEditor(
      page,
      'JSON',
      JSON.stringify({ ...entry, transform: { '*': [{ var: 'fahrenheit' }, 3] } }),
    )
    await page.getByRole('tab', { name: 'Fields' }).click()
    await expect.poll(() => editor.textContent()).toContain('"*"')
    await page.getByRole('button', { name: 'Save binding' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect((await readBinding('-/telemetry/temperature')).transform).toEqual({
      '*': [{ var: 'fahrenheit' }, 3],
    })
    await page.getByRole('link', { name: 'Bindings of Pump 7' }).click()
    await page.getByRole('row', { name: /temperature/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a signal is bound to a device found by search, refused with its reason, and removed', async () => {
    await using guarded = await world.openSignedIn(`${list}/-/telemetry/pressure`)
    const { page } = guarded
    await page.getByText('Choose a device and a signal').waitFor()
    const source = page.getByRole('combobox', { name: 'Device or asset' })
    await source.fill('nobody')
    await page.getByText('there is no provider client and no asset nobody').first().waitFor()
    await chooseFound(source, 'Pump 1', /pump-0001/)
    await expect.poll(() => source.inputValue()).toBe('pump-0001')
    await page.getByText('A value is missing').waitFor()
    await sendValues(world.api, 'pump-0001', { pressure: 2.5 })
    await page.getByRole('button', { name: 'Save binding' }).click()
    await page.getByText('Nothing unsaved').waitFor()
    expect(await readBinding('-/telemetry/pressure')).toMatchObject({ origin: 'explicit' })
    await page.getByRole('button', { name: 'Remove binding' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove binding' }).click()
    await page.getByRole('row', { name: /pressure.*Not bound/ }).waitFor()
    await page.getByRole('button', { name: 'Bind by name' }).click()
    const other = page.getByRole('dialog').getByRole('combobox', { name: 'Device or asset' })
    await chooseFound(other, 'pump-0002', /pump-0002/)
    await page.getByRole('dialog').getByRole('button', { name: 'Bind by name' }).click()
    await page.getByRole('row', { name: /pressure.*Bound.*Equal name/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a device lists the bindings that read it', async () => {
    await using guarded = await world.openSignedIn('/devices/plant/pump-0000?tab=bindings')
    const { page } = guarded
    await page.getByRole('row', { name: /mode.*Pump 7.*running.*Failing/ }).waitFor()
    await page.getByRole('row', { name: /temperature.*Pump 7/ }).click()
    await page.getByRole('heading', { level: 1, name: 'temperature' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a user without the manage permission sees the bindings and why they are read-only', async () => {
    await using guarded = await openAsViewer(world, temperature)
    const { page } = guarded
    await page.getByText('You may look at these bindings and not change them.').first().waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save binding' }).isDisabled()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'Add source' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByRole('dialog').getByText('You need the permission “manage” on asset pump-7.').waitFor()
    await guarded.open(list)
    await expect.poll(() => page.getByRole('button', { name: 'Bind by name' }).isDisabled()).toBe(true)
    expect(guarded.problems).toEqual([])
  })

  test('the preview follows the values of the device', async () => {
    await using guarded = await world.openSignedIn(temperature)
    const preview = guarded.page.getByRole('region', { name: 'What becomes of the last values' })
    await preview.getByText('Would be stored').waitFor()
    await expect.poll(() => preview.getByText('392', { exact: true }).count()).toBe(0)
    await sendValues(world.api, 'pump-0000', { temperature: 392 })
    await preview.getByText('392', { exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the pages are shown in German and report objects that do not exist', async () => {
    await using guarded = await world.openSignedIn(temperature)
    const { page } = guarded
    await chooseGerman(page)
    await page.getByRole('button', { name: 'Bindung speichern' }).waitFor()
    await page.getByRole('heading', { name: 'Was aus den letzten Werten wird' }).waitFor()
    await guarded.open(`${list}/-/telemetry/nothing`)
    await page.getByRole('heading', { name: 'Das Asset hat kein solches Signal' }).waitFor()
    await guarded.open('/assets/nobody/bindings')
    await page.getByRole('heading', { name: /gibt es nicht/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
