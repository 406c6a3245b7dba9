import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { deployTwice, makeDevices } from './harness/fixtures.mjs'
import {
  confirmByName,
  findOrganization,
  makeFirmwareRelease,
  makeFirmwareTemplate,
  pickOne,
} from './harness/firmware.ts'

describe.skipIf(!hasBrowser())('the devices of a new deployment', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeAssets(world.api)
    await deployTwice(world.api, 'pump-0001')
    await makeFirmwareTemplate(world, 'Two steps')
    await makeFirmwareRelease(world, '9.9')
    await world.api('POST', '/v1/providers/mqtt/clients', { id: 'tagged', displayName: 'Tagged' })
    const template = {
      displayName: 'East',
      tags: { site: ['east'] },
      organizationId: await findOrganization(world),
    }
    const { id: templateId } = await world.api('POST', '/v1/provider-templates', template)
    await world.api('POST', '/v1/providers/mqtt/clients/tagged/provision', { templateId, options: {} })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('they are chosen by model, node, present release and tag, together, and get the release', async () => {
    await using guarded = await world.openSignedIn('/firmware/deployments/new')
    const { page } = guarded
    const preview = page.getByRole('region', { name: 'What will happen' })
    await pickOne(page, 'Release', '9.9')
    await pickOne(page, 'Template', 'Two steps')
    const many = preview.getByRole('button', { name: /^\d+ devices are chosen$/ })
    await many.waitFor()
    const expectOnly = async (id: string) => {
      await preview.getByRole('button', { name: '1 device is chosen' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(id, { exact: true }).first().waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    for (const [field, option, id] of [
      ['Of model', 'Pump', 'pump-0000'],
      ['In node', 'Hall 1', 'pump-0000'],
      ['With release', '1.0', 'pump-0001'],
    ] as const) {
      await pickOne(page, field, option)
      await expectOnly(id)
      // The chosen option is no longer chosen after another click.
      await pickOne(page, field, option)
      await many.waitFor()
    }
    const tag = page.getByRole('textbox', { name: 'With tag of the template' })
    await tag.fill('site=east')
    await expectOnly('tagged')
    await pickOne(page, 'Of model', 'Pump')
    await preview.getByRole('heading', { name: 'No device fits' }).waitFor()
    await tag.fill('')
    await pickOne(page, 'In node', 'Hall 1')
    await expectOnly('pump-0000')
    const deploy = page.getByRole('button', { name: 'Deploy release' })
    await expect.poll(() => deploy.isEnabled()).toBe(true)
    await deploy.click()
    await confirmByName(page, '9.9', 'Deploy release')
    await page.getByRole('heading', { level: 1, name: 'To 9.9' }).waitFor()
    const [{ id }] = await world.api('GET', '/v1/firmware/deployments?search=to%209.9')
    const updates = await world.api('GET', `/v1/firmware/deployments/${id}/updates`)
    expect(updates.map((one: { providerClientId: string }) => one.providerClientId)).toEqual(['pump-0000'])
    expect(guarded.problems).toEqual([])
  })
})
