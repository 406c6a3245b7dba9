import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer } from './harness/editor.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import { hostileNames, makeApi, makeDevices } from './harness/fixtures.mjs'

/** More than a page with this form has places to go to. */
const MOST_TABS = 60
const isFocused = async (element: Locator) =>
  (await element.count()) === 1 && element.evaluate((shown) => shown === document.activeElement)
const administrator = (email: string) => ({ displayName: 'Ada', email, password: 'a long enough password' })
const DAY_MS = 24 * 60 * 60 * 1000
/** Ages of samples: none at the end of a retention of 30 days, since midnight may pass during the test. */
const recentDays = Array.from({ length: 28 }, (_, day) => day)
const oldDays = Array.from({ length: 9 }, (_, day) => 32 + day)

describe.skipIf(!hasBrowser())('settings and system', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    for (const day of [...recentDays, ...oldDays])
      await world.api('POST', '/v1/providers/plant/clients/pump-0000/telemetry', {
        timestamp: new Date(Date.now() - day * DAY_MS).toISOString(),
        temperature: 20,
      })
    for (const [index, displayName] of hostileNames.entries())
      await world.api('POST', '/v1/tenants', {
        id: `hostile-${index}`,
        displayName,
        administrator: administrator(`ada${index}@example.com`),
      })
    await world.api('POST', '/v1/providers/mqtt/webhooks', {
      url: `https://example.com/${'long/'.repeat(100)}<img>`,
      secret: 's',
    })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('axe finds nothing, and nothing sticks out', async () => {
    await using guarded = await world.openSignedIn('/settings')
    const [{ id }] = await world.api('GET', '/v1/providers/mqtt/webhooks')
    expect(
      await findAppearanceProblemsOf(guarded, [
        '/settings',
        '/settings/tenants',
        '/settings/tenants/hostile-0',
        '/settings/tenants/hostile-2?tab=retention',
        '/settings/webhooks?provider=mqtt',
        '/settings/webhooks?provider=plant',
        `/settings/webhooks/mqtt/${id}`,
        `/settings/webhooks/mqtt/${id}?tab=details`,
        '/system',
        '/system/jobs',
        '/system/jobs?state=failed',
      ]),
    ).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('a tenant is created and changed; an empty one is deleted at once, one with content after a second decision', async () => {
    await using guarded = await world.openSignedIn('/settings/tenants')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create tenant' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Id' }).fill('Acme!')
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme')
    await dialog.getByRole('textbox', { name: 'Name of the administrator' }).fill('Ada')
    await dialog.getByRole('textbox', { name: 'Email of the administrator' }).fill('ada@acme.example')
    await dialog.getByLabel('Password of the administrator').first().fill('short')
    await dialog.getByRole('button', { name: 'Create tenant' }).click()
    await dialog
      .getByText('validation_error')
      .or(dialog.locator('[aria-invalid="true"]').first())
      .first()
      .waitFor()
    await dialog.getByRole('textbox', { name: 'Id' }).fill('acme')
    await dialog.getByLabel('Password of the administrator').first().fill('a long enough password')
    await dialog.getByRole('button', { name: 'Create tenant' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme Works')
    await page.getByRole('combobox', { name: 'Plan' }).click()
    await page.getByRole('option', { name: 'Enterprise' }).click()
    await page.getByRole('button', { name: 'Save tenant' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme Works' }).waitFor()
    expect(await world.api('GET', '/v1/tenants/acme')).toMatchObject({ plan: 'enterprise' })

    const acme = await makeApi(world.url, { email: 'ada@acme.example', password: 'a long enough password' })
    await acme('POST', '/v1/groups', { displayName: 'Operators' })
    await page.getByRole('button', { name: 'Delete tenant' }).click()
    await dialog.getByRole('textbox').fill('Acme Works')
    await dialog.getByRole('button', { name: 'Delete tenant' }).click()
    await dialog.getByText(/The tenant still has content: 1 /).waitFor()
    await dialog.getByRole('checkbox', { name: /with all of its content/ }).check()
    await dialog.getByRole('button', { name: 'Delete tenant' }).click()
    await page.getByText('Being deleted').waitFor()
    await guarded.open('/settings/tenants')

    await page.getByTitle(hostileNames[0]!, { exact: true }).click()
    await page.getByRole('button', { name: 'Delete tenant' }).click()
    await dialog.getByRole('textbox').fill(hostileNames[0]!)
    await dialog.getByRole('button', { name: 'Delete tenant' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor()
    await expect(world.api('GET', '/v1/tenants/hostile-0')).rejects.toThrow('404')
    expect(guarded.problems).toEqual([])
  })

  test('a retention says what it would delete before it can be saved', async () => {
    await using guarded = await world.openSignedIn('/settings/tenants/default?tab=retention')
    const { page } = guarded
    await page.getByText('forever').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save retention' }).isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'Keep everything' }).uncheck()
    await page.getByRole('textbox', { name: 'Days to keep' }).fill('40000')
    await page.getByText('A number from 1 to 36,500.').waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: 'Show what it would delete' }).isDisabled())
      .toBe(true)
    await page.getByRole('textbox', { name: 'Days to keep' }).fill('30')
    await expect.poll(() => page.getByRole('button', { name: 'Save retention' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show what it would delete' }).click()
    await page.getByText('It deletes 9 samples.').waitFor()
    expect(await world.api('GET', '/v1/tenants/default')).toMatchObject({ telemetryRetentionDays: null })
    await page.getByRole('button', { name: 'Save retention' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It deletes 9 samples.').waitFor()
    const { displayName } = await world.api('GET', '/v1/tenants/default')
    await dialog.getByRole('textbox').fill(displayName)
    await dialog.getByRole('button', { name: 'Save retention' }).click()
    // The dialog shows what will be kept in the same words.
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('30 days', { exact: true }).waitFor()
    expect(await world.api('GET', '/v1/tenants/default')).toMatchObject({ telemetryRetentionDays: 30 })

    await page.getByRole('checkbox', { name: 'Keep rollups for longer' }).check()
    await page.getByRole('textbox', { name: 'Days to keep rollups' }).fill('30')
    await page.getByText('More than the days that samples are kept.').waitFor()
    const measure = page.getByRole('button', { name: 'Show what it would delete' })
    await expect.poll(() => measure.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Days to keep rollups' }).fill('400')
    await measure.click()
    await page.getByText('It deletes 9 samples.').waitFor()
    await page.getByRole('button', { name: 'Save retention' }).click()
    await dialog.getByRole('textbox').fill(displayName)
    await dialog.getByRole('button', { name: 'Save retention' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(', and rollups for 400 days').waitFor()
    expect(await world.api('GET', '/v1/tenants/default')).toMatchObject({ rollupRetentionDays: 400 })
    await expect.poll(() => page.getByRole('button', { name: 'Delete tenant' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByText('This is your own tenant.').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a retention is chosen, measured and saved with the keyboard alone', async () => {
    const { id } = await world.api('POST', '/v1/tenants', {
      id: 'keys',
      displayName: 'Keys',
      administrator: administrator('keys@example.com'),
    })
    await using guarded = await world.openSignedIn(`/settings/tenants/${id}?tab=retention`)
    const { page } = guarded
    const everything = page.getByRole('checkbox', { name: 'Keep everything' })
    await everything.waitFor()
    await page.getByText('Change something to see what that would delete.').waitFor()
    const tabTo = async (field: Locator) => {
      await field.waitFor()
      for (let pressed = 0; pressed < MOST_TABS && !(await isFocused(field)); pressed++)
        await page.keyboard.press('Tab')
      expect(await isFocused(field)).toBe(true)
    }
    await tabTo(everything)
    await page.keyboard.press('Space')
    await tabTo(page.getByRole('textbox', { name: 'Days to keep', exact: true }))
    for (const wrong of ['0', '36501']) {
      await page.keyboard.press('Control+a')
      await page.keyboard.type(wrong)
      await page.getByText('A number from 1 to 36,500.').waitFor()
    }
    await page.keyboard.press('Control+a')
    await page.keyboard.type('90')
    await tabTo(page.getByRole('checkbox', { name: 'Keep rollups for longer' }))
    await page.keyboard.press('Space')
    await tabTo(page.getByRole('textbox', { name: 'Days to keep rollups' }))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('400')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('It deletes nothing now.').waitFor()
    await tabTo(page.getByRole('button', { name: 'Save retention' }))
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Telemetry will be kept: 90 days, and rollups for 400 days').waitFor()
    await expect.poll(() => isFocused(dialog.getByRole('textbox'))).toBe(true)
    await page.keyboard.type('Keys')
    await page.keyboard.press('Enter')
    const kept = page.getByText('Telemetry is kept: 90 days, and rollups for 400 days')
    await expect.poll(() => isFocused(kept)).toBe(true)
    await page.keyboard.press('Tab')
    expect(await isFocused(everything)).toBe(true)
    expect(await world.api('GET', `/v1/tenants/${id}`)).toMatchObject({
      telemetryRetentionDays: 90,
      rollupRetentionDays: 400,
    })
    expect(guarded.problems).toEqual([])
  })

  test('a viewer is told why tenants, storage and health are not shown; the words are German, too', async () => {
    {
      await using guarded = await openAsViewer(world, '/settings')
      const { page } = guarded
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      await page.getByText('Requests an hour').waitFor()
      for (const path of ['/settings/tenants', '/settings/tenants/default', '/system', '/system/jobs']) {
        await guarded.open(path)
        await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
        await page.getByText('forbidden', { exact: true }).waitFor()
      }
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn('/system')
    const { page } = guarded
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await page.getByText('Answers here').waitFor()
    await chooseGerman(page)
    await page.getByText('Antwortet hier').waitFor()
    await guarded.open('/settings')
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
