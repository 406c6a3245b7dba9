import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { chooseGerman, openAs, openAsViewer } from './harness/editor.ts'
import { confirmByName } from './harness/firmware.ts'

describe.skipIf(!hasBrowser())('simulations', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('a simulation is made, watched, broken and ended', async () => {
    await using guarded = await world.openSignedIn('/simulations')
    const { page } = guarded
    await page.getByRole('heading', { name: 'No simulations yet' }).waitFor()
    await page.getByRole('button', { name: 'Create simulation' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'New simulation' }).waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Three pumps')
    await page.getByRole('textbox', { name: 'Devices', exact: true }).fill('3')
    await page.getByRole('textbox', { name: 'Seconds between the messages' }).fill('1')
    await page.getByRole('textbox', { name: 'Beginning of the device ids' }).fill('bad prefix')
    await page.getByRole('button', { name: 'Create simulation' }).click()
    await page.getByText(/Letters, digits, point, hyphen/).waitFor()
    await page.getByRole('textbox', { name: 'Beginning of the device ids' }).fill('pump-')
    await page.getByRole('button', { name: 'Create simulation' }).click()

    await page.getByRole('heading', { level: 1, name: 'Three pumps' }).waitFor()
    const form = page.getByRole('form', { name: 'Break devices' })
    await form.getByText(/Start the simulation first/).waitFor()
    await expect.poll(() => form.getByRole('button', { name: 'Break devices' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('link', { name: '3 of 3' }).nth(1).waitFor()

    await form.getByRole('combobox', { name: 'Fault' }).click()
    await page.getByRole('option', { name: 'Offline', exact: true }).click()
    await form.getByRole('textbox', { name: 'Number of devices' }).fill('4')
    await form.getByRole('button', { name: 'Break devices' }).click()
    await form.getByText('From 1 to 3, or name devices.').waitFor()
    await form.getByRole('combobox', { name: 'Or these devices' }).fill('pump-0002')
    await page.keyboard.press('Enter')
    await form.getByRole('textbox', { name: 'For how many seconds' }).fill('3600')
    await form.getByRole('button', { name: 'Break devices' }).click()
    const faults = page.getByRole('grid', { name: 'Faults now' })
    await faults.getByText('Offline').waitFor()
    await page.getByRole('link', { name: '2 of 3' }).first().waitFor()
    await faults.getByRole('button', { name: '1' }).click()
    await page.getByRole('dialog').getByText('pump-0002').waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete simulation' }).click()
    await confirmByName(page, 'Three pumps', 'Delete simulation')
    await page.getByRole('heading', { name: 'No simulations yet' }).waitFor()
    await expect.poll(() => world.api('GET', '/v1/provider-clients?search=pump-')).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('whoever may not manage devices is told why; the words are German, too', async () => {
    {
      await using guarded = await openAsViewer(world, '/simulations')
      await guarded.page.getByRole('heading', { name: 'You may not see this' }).waitFor()
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn('/simulations')
    await chooseGerman(guarded.page)
    await guarded.page.getByRole('heading', { level: 1, name: 'Simulationen' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('what a start and a deletion need is said before the click, also in the form', async () => {
    const [{ id: rootId }] = await world.api('GET', '/v1/organizations')
    const plant = { displayName: 'Plant', parentOrganizationId: rootId }
    const { id: organizationId } = await world.api('POST', '/v1/organizations', plant)
    const contents = [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }]
    const definition = {
      '@context': 'dtmi:dtdl:context;3',
      '@id': 'dtmi:plant:Pump;1',
      '@type': 'Interface',
      displayName: 'Pump',
      contents,
    }
    const { id: modelId } = await world.api('POST', '/v1/models', { organizationId: rootId, definition })
    const signals = [{ name: 'temperature', generator: 'constant', value: 20 }]
    const body = { displayName: 'Pumps', organizationId, providerId: 'mqtt', modelId, count: 1 }
    const { id } = await world.api('POST', '/v1/simulations', { ...body, signals, intervalSeconds: 60 })

    const person = { name: 'Keeper', relation: 'provider_client_manager', organizationId }
    await using guarded = await openAs(world, person, `/simulations/${id}`)
    const { page } = guarded
    const [{ id: subjectId }] = await world.api('GET', '/v1/users?search=keeper')
    await page.getByRole('button', { name: 'Why?' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText(/you need the privilege “Manage assets” in its organization/).waitFor()
    await panel.getByText('You need the permission “view” on provider mqtt.').waitFor()
    await panel.getByText('You need the permission “view” on model dtmi:plant:Pump;1.').waitFor()
    expect(await findAppearanceProblems(page, 'why a simulation cannot be started')).toEqual([])
    await page.keyboard.press('Escape')
    const start = page.getByRole('button', { name: 'Start', exact: true })
    const remove = page.getByRole('button', { name: 'Delete simulation' })
    await expect.poll(() => start.isDisabled()).toBe(true)
    await expect.poll(() => remove.isDisabled()).toBe(true)

    const give = (relation: string, resourceId: string) =>
      world.api('POST', '/v1/relations', {
        subjectType: 'user',
        subjectId,
        resourceType: 'organization',
        resourceId,
        relation,
      })
    await guarded.open('/simulations/new')
    await page.getByText(/Simulated devices need a provider of type mqtt, and you may see none/).waitFor()
    await give('viewer', rootId)
    await guarded.open('/simulations/new')
    await page.getByText('You need the privilege “Manage assets” in this organization.').waitFor()
    const model = page.getByRole('combobox', { name: 'Make an asset of a model for each device' })
    // The form begins without an organization, for which nothing is lacking.
    await expect.poll(() => model.isDisabled()).toBe(true)

    await give('asset_manager', organizationId)
    await guarded.open(`/simulations/${id}`)
    await expect.poll(() => remove.isEnabled()).toBe(true)
    await expect.poll(() => start.isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: 'Why?' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('a field that searches marks its options until the answer is there', async () => {
    await using guarded = await world.openSignedIn('/simulations/new')
    const { page } = guarded
    const model = page.getByRole('combobox', { name: 'Make an asset of a model for each device' })
    await model.click()
    await page.getByRole('option', { name: 'Pump' }).waitFor()
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/v1/models?*search=*', async (route) => {
      await held
      await route.continue()
    })
    const asked = page.waitForRequest('**/v1/models?*search=*')
    await model.fill('Pum')
    await asked
    expect(await model.getAttribute('aria-busy')).toBe('true')
    answer()
    await expect.poll(() => model.getAttribute('aria-busy')).toBe('false')
    expect(guarded.problems).toEqual([])
  })
})
