import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman, openAsViewer } from './harness/editor.ts'
import { makeDevices } from './harness/fixtures.mjs'
import {
  confirmByName,
  deployFirmware,
  makeFirmwareRelease,
  makeFirmwareTemplate,
  pickOne,
} from './harness/firmware.ts'

const prefix = 'roll-'
const count = 8
const FAILING = ['roll-0001', 'roll-0002']

describe.skipIf(!hasBrowser())('firmware rollouts', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('a rollout with failing devices is stopped, and rolled back from its page', async () => {
    await using guarded = await world.openSignedIn('/firmware/releases')
    const { page } = guarded
    await createRelease(page)
    await createTemplate(page)
    await guarded.open('/simulations/new')
    await simulateDevices(page)

    await guarded.open('/firmware/releases')
    await page.getByRole('row', { name: /1\.0/ }).click()
    await page.getByRole('button', { name: 'Deploy release' }).click()
    await chooseDevices(page)
    await page.getByRole('checkbox', { name: 'In waves, and stop when too many fail' }).uncheck()
    await deploy(page, '1.0')
    await page.getByRole('heading', { level: 1, name: 'To 1.0' }).waitFor()
    await page.getByText('Completed', { exact: true }).waitFor()

    await makeFirmwareRelease(world, '2.0')
    await guarded.open('/firmware/deployments/new')
    await pickOne(page, 'Release', '2.0')
    await chooseDevices(page)
    await page.getByRole('textbox', { name: 'Waves, in percent of the devices' }).fill('50, 100')
    const preview = page.getByRole('region', { name: 'What will happen' })
    await preview.getByText('Wave 1, up to 50%').waitFor()
    await preview.getByText('nothing known').waitFor()
    await deploy(page, '2.0')
    await page.getByText('Stopped', { exact: true }).waitFor()
    await page.getByText(/updates failed or were rejected: more than 10 %/).waitFor()

    await page
      .getByRole('row', { name: /Rehearsal 000[12].*Failed/ })
      .first()
      .click()
    const log = page.getByRole('dialog', { name: 'Update' })
    await log.getByText('The device reports "Failed": failed.').waitFor()
    // A link opens an update that the list beside it does not have.
    const link = new URL(page.url())
    link.searchParams.set('tab', 'devices')
    link.searchParams.set('status', 'Ready')
    await page.goto(link.href)
    await log.getByText('The device reports "Failed": failed.').waitFor()
    link.searchParams.set('update', crypto.randomUUID())
    await page.goto(link.href)
    await page.getByText('This deployment has no update with the id in the address.').waitFor()
    await page.goBack()
    await log.getByRole('button', { name: 'Close' }).click()
    await page.getByText(/^Ended/).waitFor()

    await page.getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByRole('button', { name: /Prepare rollback to 1\.0/ }).click()
    await page.getByText('Updated by it, with the earlier release').waitFor()
    await deploy(page, '1.0')
    await page.getByRole('heading', { level: 1, name: 'Back to 1.0' }).waitFor()
    await page.getByText('Completed', { exact: true }).waitFor()

    const [back] = await world.api('GET', '/v1/firmware/deployments?search=back%20to')
    const updates = await world.api('GET', `/v1/firmware/deployments/${back.id}/updates`)
    expect(updates.length).toBeGreaterThan(0)
    for (const { status, providerClientId } of updates) {
      expect(status).toBe('Succeeded')
      expect(FAILING).not.toContain(providerClientId)
    }
    expect(guarded.problems).toEqual([])
  })

  test('a deployment is paused, resumed, cancelled and deleted', async () => {
    const id = await makeOpenDeployment(world, 'Slow')
    await using guarded = await world.openSignedIn(`/firmware/deployments/${id}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Running', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByText(/Cancel the deployment first/).waitFor()
    await page.keyboard.press('Escape')

    const progress = page.getByRole('region', { name: 'Progress' })
    // The count of a state that the updates are about to leave would lead to an empty list.
    await progress.getByRole('columnheader', { name: 'Running' }).waitFor()
    await progress.getByRole('columnheader', { name: 'Waiting' }).waitFor({ state: 'detached' })
    await progress.getByRole('button', { name: '2', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('devices')
    await page.getByRole('row', { name: /Pump 1/ }).waitFor()

    await page.getByRole('button', { name: 'Cancel deployment' }).click()
    await confirmByName(page, 'Slow', 'Cancel deployment')
    await page.getByText(/^Ended/).waitFor()
    expect((await world.api('GET', `/v1/firmware/deployments/${id}`)).counts).toMatchObject({ Cancelled: 2 })
    await page.getByRole('button', { name: 'Delete deployment' }).click()
    await confirmByName(page, 'Slow', 'Delete deployment')
    await page.getByRole('heading', { level: 1, name: 'Firmware' }).waitFor()
    expect(await world.api('GET', '/v1/firmware/deployments?search=slow')).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('problems of a new deployment are named, and nothing is offered until they are mended', async () => {
    await makeFirmwareTemplate(world, 'Two steps')
    await makeFirmwareRelease(world, '9.9')
    await using guarded = await world.openSignedIn('/firmware/deployments/new')
    const { page } = guarded
    const preview = page.getByRole('region', { name: 'What will happen' })
    await preview.getByText(/Choose a release and a template/).waitFor()
    await pickOne(page, 'Release', '9.9')
    await pickOne(page, 'Template', 'Two steps')
    await preview.getByText(/devices are chosen/).waitFor()
    const waves = page.getByRole('textbox', { name: 'Waves, in percent of the devices' })
    await waves.fill('50, 5')
    await preview.getByText(/Write ascending percents/).waitFor()
    await expect.poll(() => preview.getByRole('button', { name: 'Deploy release' }).count()).toBe(0)
    await waves.fill('5, 100')
    await page.getByRole('textbox', { name: 'Name or id contains' }).fill('nothing like this')
    await preview.getByRole('heading', { name: 'No device fits' }).waitFor()
    await page.getByRole('textbox', { name: 'Name or id contains' }).fill('pump-000')
    await preview.getByRole('button', { name: '3 devices are chosen' }).click()
    await page.getByRole('dialog').getByText('pump-0002').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a viewer sees a deployment and a release with the reason why nothing can be changed; German', async () => {
    const id = await makeOpenDeployment(world, 'Watched')
    const { releaseId } = await world.api('GET', `/v1/firmware/deployments/${id}`)
    {
      await using guarded = await openAsViewer(world, `/firmware/deployments/${id}`)
      const { page } = guarded
      await page.getByText('You may look at this deployment and not change it.').waitFor()
      for (const name of ['Pause', 'Cancel deployment', 'Roll back'])
        await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Why?' }).click()
      await page.getByRole('dialog').getByText('You need the permission “manage”').waitFor()
      await guarded.open(`/firmware/releases/${releaseId}`)
      await page.getByText('You may look at this release and not change it.').waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Save release' }).count()).toBe(0)
      expect(guarded.problems).toEqual([])
    }
    await using guarded = await world.openSignedIn('/firmware')
    const { page } = guarded
    await page.getByRole('row', { name: /Watched/ }).waitFor()
    await chooseGerman(page)
    await page.getByRole('button', { name: 'Neues Deployment' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})

/** A deployment to two devices of `plant`, which never report. */
async function makeOpenDeployment(world: TestConsole, displayName: string): Promise<string> {
  return deployFirmware(world, {
    displayName,
    releaseId: await makeFirmwareRelease(world, `Release of ${displayName}`),
    deploymentTemplateId: await makeFirmwareTemplate(world, `Template of ${displayName}`),
    deviceIds: ['pump-0000', 'pump-0001'],
  })
}

async function createRelease(page: Page) {
  await page.getByRole('button', { name: 'Create release' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('1.0')
  const buffer = Buffer.alloc(2048, 7)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'pump.bin', mimeType: 'application/octet-stream', buffer })
  await page.getByText(/^Uploaded, 2/).waitFor()
  await page.getByRole('button', { name: 'Create release' }).click()
  await page.getByRole('heading', { level: 1, name: '1.0' }).waitFor()
}

async function createTemplate(page: Page) {
  await page.getByRole('link', { name: 'Firmware', exact: true }).click()
  await page.getByRole('button', { name: 'Deployment templates' }).click()
  await page.getByRole('button', { name: 'Create template' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('By name')
  const value = page.getByRole('textbox', { name: 'Value, as JSON' })
  await value.fill('{"version": ')
  await page.getByRole('button', { name: 'Create template' }).click()
  await page.getByText('This is not JSON.').waitFor()
  await value.fill('{"version": "{{releaseName}}"}')
  await page.getByRole('button', { name: 'Create template' }).click()
  await page.getByRole('heading', { level: 1, name: 'By name' }).waitFor()
  await page.getByRole('figure', { name: 'Course of an update' }).getByText('Installed').waitFor()
}

/** Devices of which the first two fail. */
async function simulateDevices(page: Page) {
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Rehearsal')
  await page.getByRole('textbox', { name: 'Devices', exact: true }).fill(String(count))
  await page.getByRole('textbox', { name: 'Beginning of the device ids' }).fill(prefix)
  await page.getByRole('checkbox', { name: 'Play firmware updates' }).check()
  await pickOne(page, 'Deployment template', 'By name')
  await page.getByRole('textbox', { name: 'Seconds of a step' }).fill('0')
  await page.getByRole('textbox', { name: 'Percent that fail' }).fill('25')
  await page.getByRole('button', { name: 'Create simulation' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page
    .getByRole('link', { name: `${count} of ${count}` })
    .nth(1)
    .waitFor()
}

async function chooseDevices(page: Page) {
  await pickOne(page, 'Template', 'By name')
  await page.getByRole('textbox', { name: 'Name or id contains' }).fill(prefix)
  await page.getByRole('button', { name: `${count} devices are chosen` }).waitFor()
}

async function deploy(page: Page, release: string) {
  const button = page.getByRole('button', { name: 'Deploy release' })
  await expect.poll(() => button.isEnabled()).toBe(true)
  await button.click()
  await confirmByName(page, release, 'Deploy release')
}
