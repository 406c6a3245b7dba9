import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import {
  deployFirmware,
  findOrganization,
  makeFirmwareRelease,
  makeFirmwareTemplate,
} from './harness/firmware.ts'
import { hostileNames, makeDevices } from './harness/fixtures.mjs'

const [image = '', reversed = '', long = '', emoji = ''] = hostileNames

describe.skipIf(!hasBrowser())('appearance of firmware and simulations', () => {
  let world: TestConsole
  let paths: string[]
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 4 })
    const releaseId = await makeFirmwareRelease(world, long)
    await makeFirmwareRelease(world, image)
    const deploymentTemplateId = await makeFirmwareTemplate(world, reversed)
    const deploymentId = await deployFirmware(world, {
      displayName: emoji,
      releaseId,
      deploymentTemplateId,
      deviceIds: ['hostile-0', 'hostile-1', 'hostile-2', 'pump-0000'],
      rollout: { waves: [25, 50, 100] },
    })
    const simulation = await world.api('POST', '/v1/simulations', {
      displayName: long,
      organizationId: await findOrganization(world),
      providerId: 'mqtt',
      count: 2,
      intervalSeconds: 5,
      signals: [{ name: image, generator: 'constant', value: reversed }],
    })
    const deployment = `/firmware/deployments/${deploymentId}`
    paths = [
      '/firmware',
      '/firmware?search=nothing+like+this',
      '/firmware/releases',
      '/firmware/releases/new',
      `/firmware/releases/${releaseId}`,
      `/firmware/releases/${releaseId}?tab=deployments`,
      '/firmware/templates',
      '/firmware/templates/new',
      `/firmware/templates/new?from=${deploymentTemplateId}`,
      `/firmware/templates/${deploymentTemplateId}`,
      '/firmware/deployments/new',
      `/firmware/deployments/new?release=${releaseId}&template=${deploymentTemplateId}`,
      `/firmware/deployments/new?of=${deploymentId}&states=Failed`,
      deployment,
      `${deployment}?tab=devices`,
      `${deployment}?tab=rollbacks`,
      `${deployment}?tab=plan`,
      `/firmware/deployments/0190b0f0-5c3e-7000-8000-000000000000`,
      '/simulations',
      '/simulations/new',
      `/simulations/${simulation.id}`,
      `/simulations/${simulation.id}?tab=setup`,
    ]
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/firmware')
    const found = await findAppearanceProblemsOf(guarded, paths, async (page, path) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      // The page of a deployment that has not ended reads its counts every few seconds, and never settles.
      if (!path.startsWith('/firmware/deployments/0')) await untilSettled(page)
    })
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('the palette finds the pages', async () => {
    await using guarded = await world.openSignedIn('/firmware')
    await guarded.page.getByRole('heading', { level: 1 }).waitFor()
    await guarded.page.keyboard.press('Control+k')
    await guarded.page.getByRole('combobox').fill('releases')
    await guarded.page.getByRole('option', { name: 'Firmware releases' }).click()
    await guarded.page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
