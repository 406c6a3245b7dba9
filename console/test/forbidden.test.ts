/** Pages for users without the required permissions. The errors come from the real server. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { untilSettled } from './harness/browser.mjs'
import { type GuardedPage, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { typeInEditor } from './harness/editor.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { findAxeProblems } from './harness/find-axe-problems.ts'
import { makeDevices } from './harness/fixtures.mjs'

const password = 'a long enough password'
const device = '/devices/mqtt/pump-a'

describe.skipIf(!hasBrowser())('without the permission', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 1 })
    await makeAssets(world.api)
    await world.api('POST', '/v1/providers/mqtt/clients', { id: 'pump-a', displayName: 'Pump A' })
    const [{ id: organizationId }] = await world.api('GET', '/v1/organizations')
    for (const name of ['viewer', 'stranger']) {
      const email = `${name}@example.com`
      const { id } = await world.api('POST', '/v1/users', { displayName: name, email, password })
      if (name === 'viewer')
        await world.api('POST', '/v1/relations', {
          subjectType: 'user',
          subjectId: id,
          resourceType: 'organization',
          resourceId: organizationId,
          relation: 'viewer',
        })
    }
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const openAs = (name: 'viewer' | 'stranger', path: string): Promise<GuardedPage> =>
    world.openSignedIn(path, undefined, { email: `${name}@example.com`, password })

  /** Checks that an error shows its code and a request id that can be copied. */
  async function expectRefusal(alert: Locator, code: string) {
    await alert.waitFor()
    await alert.getByText(code, { exact: true }).waitFor()
    await alert.getByRole('button', { name: 'Copy Request id' }).waitFor()
    await expect.poll(() => alert.textContent()).toMatch(/Request id [\da-f]{16}-[\da-z]+/)
  }

  const closed = [
    '/onboarding/trace',
    '/onboarding/first-device',
    '/devices/plant/pump-0000',
    ...['live', 'twin', 'firmware'].map((tab) => `${device}?tab=${tab}`),
  ]

  test('pages show that access is denied, with the reason', async () => {
    await using guarded = await openAs('stranger', closed[0]!)
    const { page } = guarded
    for (const path of closed) {
      await guarded.open(path)
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      await expectRefusal(page.getByRole('alert'), 'forbidden')
      await page.getByText('Ask somebody who may grant the permission.').waitFor()
      expect(await findAppearanceProblems(page, path)).toEqual([])
    }
    await page.getByText('This needs the permission view on the provider client pump-a.').waitFor()
    await guarded.open('/devices/mqtt/none')
    await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor()
    await expectRefusal(page.getByRole('alert'), 'not_found')
    expect(guarded.problems).toEqual([])
  })

  test('lists show only permitted objects, and the rest of the shell works', async () => {
    await using guarded = await openAs('stranger', '/')
    const { page } = guarded
    await page.getByText(/^You may not see: /).waitFor()
    await guarded.open('/devices')
    await expect
      .poll(() => page.locator('main#content').textContent())
      .toContain('Devices that you may see appear here')
    await guarded.open('/explore')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilSettled(page)
    await expect.poll(() => page.getByText('Pump A').count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a page, device, asset or model' }).fill('pump-a')
    await page.getByText('Nothing matches “pump-a”.').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a viewer sees a device, and reads before the try why none can be created', async () => {
    await using guarded = await openAs('viewer', '/devices')
    const { page } = guarded
    await page.getByRole('row', { name: /Pump A/ }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Create device' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('You need the privilege “Manage devices” in an organization.').waitFor()
    await panel.getByText('provider_client_management', { exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('keys are hidden, and the panel names the permission and who can grant it', async () => {
    await using guarded = await openAs('viewer', `${device}?tab=credentials`)
    const { page } = guarded
    await page.getByText(/recorded in the audit log/).waitFor()
    await page.getByRole('button', { name: 'Show keys' }).click()
    await expectRefusal(page.getByRole('alert'), 'forbidden')
    await page.getByRole('tabpanel').last().getByRole('button', { name: 'Why?' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('You need the permission “manage”').waitFor()
    await panel.getByText('Any of these would give it to you:').waitFor()
    expect(await findAxeProblems(page)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('commands with keys, methods and the twin are refused with the reason', async () => {
    await using guarded = await openAs('viewer', `${device}?tab=connect`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Show commands' }).click()
    await expectRefusal(page.getByRole('tabpanel').last().getByRole('alert'), 'forbidden')
    await guarded.open(`${device}?tab=methods`)
    await page.getByLabel('Method', { exact: true }).fill('reboot')
    await page.getByRole('button', { name: 'Invoke method' }).click()
    await expectRefusal(page.getByRole('article').getByRole('alert'), 'forbidden')
    await guarded.open(`${device}?tab=twin&edit=on`)
    await typeInEditor(page, 'Desired properties', '{"limit": 1}')
    await page.getByRole('button', { name: 'Send to the device' }).click()
    await expectRefusal(page.getByRole('alert'), 'forbidden')
    expect(guarded.problems).toEqual([])
  })

  test.each([
    ['device', device, ['Disable device'], ['Delete device']],
    ['asset', '/assets/pump-7', ['Replace device'], ['Rename', 'Move', 'Delete asset']],
  ])(
    'a viewer is told before the try what needs a permission on the %s',
    async (_what, path, buttons, items) => {
      await using guarded = await openAs('viewer', path)
      const { page } = guarded
      for (const name of buttons)
        await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'More actions' }).click()
      for (const name of items)
        await expect.poll(() => page.getByRole('menuitem', { name }).isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Why?' }).first().click()
      const panel = page.getByRole('dialog')
      await panel.getByText('You need the permission “manage”').waitFor()
      await panel.getByText('Any of these would give it to you:').waitFor()
      expect(await findAxeProblems(page)).toEqual([])
      expect(guarded.problems).toEqual([])
    },
  )
})
