import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAlarms } from './harness/alarms.mjs'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDashboard } from './harness/dashboards.ts'
import { chooseFound } from './harness/editor.ts'
import { makeDevices } from './harness/fixtures.mjs'

const typed = 'Typed and not saved'

interface Case {
  what: string
  path: () => string
  /** Opens the dialog. */
  open: (page: Page) => Promise<void>
  type: (dialog: Locator) => Promise<void>
  /** The field in which `typed` stands; absent where something is chosen instead. */
  field?: string
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()
const choose = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}
const fill = (field: string) => ({
  field,
  type: (dialog: Locator) => dialog.getByLabel(field, { exact: true }).fill(typed),
})

describe.skipIf(!hasBrowser())('what was typed is not lost', () => {
  let world: TestConsole
  let dashboardId: string
  let simulationId: string
  let organizationId: string
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeAssets(world.api)
    await makeAlarms(world.api)
    dashboardId = await makeDashboard(world)
    organizationId = (await world.api('GET', '/v1/organizations'))[0].id
    const simulation = await world.api('POST', '/v1/simulations', {
      displayName: 'Pumps',
      organizationId,
      providerId: 'mqtt',
      deviceIdPrefix: 'simulated-',
      count: 2,
      intervalSeconds: 2,
      signals: [{ name: 'running', generator: 'constant', value: true }],
    })
    simulationId = simulation.id
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
  /** The navigation stands behind the dialog; the keyboard of a screen reader reaches it. */
  const followLink = (page: Page) => page.locator('a[href="/console/system"]').first().dispatchEvent('click')
  const answer = async (page: Page, name: string) => {
    await question(page).getByRole('button', { name }).click()
    await question(page).waitFor({ state: 'detached' })
  }

  const asking: Case[] = [
    { what: 'a person', path: () => '/people', open: press('Add person'), ...fill('Name') },
    { what: 'a tenant', path: () => '/settings/tenants', open: press('Create tenant'), ...fill('Name') },
    {
      what: 'a webhook',
      path: () => '/settings/webhooks',
      open: press('Create webhook'),
      ...fill('Address'),
    },
    { what: 'a dashboard', path: () => '/dashboards', open: press('Create dashboard'), ...fill('Name') },
    { what: 'a comment', path: () => '/alarms', open: press('Acknowledge'), ...fill('Comment') },
    {
      what: 'a relation',
      path: () => `/access/organization/${organizationId}?tab=relations`,
      open: press('Give access'),
      type: async (dialog) => {
        await dialog.getByRole('combobox', { name: 'As', exact: true }).click()
        await dialog.page().getByRole('option', { name: 'manager', exact: true }).click()
      },
    },
    {
      what: 'a property',
      path: () => '/assets/pump-7?tab=properties',
      open: press('Set Upper limit'),
      type: (dialog) => dialog.getByRole('textbox', { name: 'Upper limit' }).fill('95'),
    },
    {
      what: 'an authority',
      path: () => '/onboarding/certificates?tab=authorities',
      open: press('Bring your own'),
      ...fill('Certificates'),
    },
    {
      what: 'bindings by name',
      path: () => '/assets/pump-7/bindings',
      open: press('Bind by name'),
      type: (dialog) => chooseFound(dialog.getByLabel('Device or asset'), 'pump-0000', /pump-0000/),
    },
  ]
  test.each(asking)(
    '$what: Esc, a click beside it and a link ask first',
    async ({ path, open, type, field }) => {
      await using guarded = await world.openSignedIn(path())
      const { page } = guarded
      await open(page)
      const dialog = page.getByRole('dialog').first()
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await open(page)
      await type(dialog)
      for (const leave of [
        () => page.keyboard.press('Escape'),
        () => page.mouse.click(2, 2),
        () => followLink(page),
      ]) {
        await leave()
        await answer(page, 'Stay here')
        await dialog.waitFor()
        if (field !== undefined)
          await expect.poll(() => dialog.getByLabel(field, { exact: true }).inputValue()).toBe(typed)
      }
      await page.keyboard.press('Escape')
      await question(page).waitFor()
      await page.keyboard.press('Escape')
      await question(page).waitFor({ state: 'detached' })
      await page.keyboard.press('Escape')
      await question(page).getByRole('button', { name: 'Discard changes' }).click()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      await open(page)
      await type(dialog)
      await followLink(page)
      await question(page).getByRole('button', { name: 'Discard changes' }).click()
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
      expect(guarded.problems).toEqual([])
    },
  )

  const kept: (Case & { field: string })[] = [
    {
      what: 'an organization',
      path: () => '/organizations',
      open: press('Create organization'),
      ...fill('Name'),
    },
    {
      what: 'the name of a dashboard',
      path: () => `/dashboards/${dashboardId}`,
      open: choose('Rename'),
      ...fill('Name'),
    },
    {
      what: 'a link for a screen',
      path: () => `/dashboards/${dashboardId}`,
      open: choose('Share'),
      ...fill('Where the screen is'),
    },
  ]
  test.each(kept)('$what: what was typed is there again', async ({ path, open, type, field }) => {
    await using guarded = await world.openSignedIn(path())
    const { page } = guarded
    await open(page)
    const dialog = page.getByRole('dialog').first()
    const read = () => dialog.getByLabel(field, { exact: true }).inputValue()
    await type(dialog)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await open(page)
    await expect.poll(read).toBe(typed)
    await page.reload()
    await open(page)
    await expect.poll(read).toBe(typed)
    expect(guarded.problems).toEqual([])
  })

  test('the first device: its choices stay as a draft', async () => {
    await using guarded = await world.openSignedIn('/onboarding/first-device')
    const { page } = guarded
    const host = page.getByLabel('Host of the broker')
    await host.fill('broker.example.com')
    await page.getByRole('button', { name: 'Continue' }).click()
    const id = page.getByLabel('Device id', { exact: true })
    await id.fill('boiler-1')
    await followLink(page)
    await answer(page, 'Stay here')
    await followLink(page)
    await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await guarded.open('/onboarding/first-device')
    await expect.poll(() => host.inputValue()).toBe('broker.example.com')
    await page.getByText('Your unsaved changes from before were restored.').waitFor()
    await guarded.open('/onboarding/first-device?step=device')
    await expect.poll(() => id.inputValue()).toBe('boiler-1')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect.poll(() => id.inputValue()).toBe('device-0001')
    expect(guarded.problems).toEqual([])
  })

  test('faults of simulated devices: what was typed stays as a draft', async () => {
    await using guarded = await world.openSignedIn(`/simulations/${simulationId}`)
    const { page } = guarded
    const count = page.getByRole('form', { name: 'Break devices' }).getByLabel(/^Number of devices/)
    await count.fill('2')
    await followLink(page)
    await question(page).getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await guarded.open(`/simulations/${simulationId}`)
    await expect.poll(() => count.inputValue()).toBe('2')
    expect(guarded.problems).toEqual([])
  })

  test('a value for a property of a dashboard stays as a draft', async () => {
    const input = {
      id: 'limit',
      kind: 'propertyInput',
      position: { x: 0, y: 0, w: 4, h: 4 },
      options: { assetId: 'pump-7', name: 'limit' },
    }
    const id = await makeDashboard(world, { data: { version: 1, widgets: [input] } })
    await using guarded = await world.openSignedIn(`/dashboards/${id}`)
    const { page } = guarded
    const limit = page.getByRole('textbox', { name: 'Upper limit' })
    await limit.fill('95')
    await guarded.open('/system')
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    await guarded.open(`/dashboards/${id}`)
    await expect.poll(() => limit.inputValue()).toBe('95')
    await page.getByText('Your unsaved changes from before were restored.').waitFor()
    expect(guarded.problems).toEqual([])
  })
})
