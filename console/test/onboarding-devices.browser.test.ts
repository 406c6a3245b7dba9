import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn } from './harness/browser.mjs'
import { administrator, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { openAs } from './harness/editor.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { askSettings, enrol, generateKey, makeDevice, makeGroup, makeTarget } from './harness/onboarding.ts'

describe.skipIf(!hasBrowser())('onboarding devices and certificates', () => {
  let world: TestConsole
  let groupId: string
  let key: string
  beforeAll(async () => {
    world = await startConsole()
    groupId = await makeGroup(world, await makeTarget(world, 'Here'), { name: 'Pumps' })
    key = await generateKey(world, groupId)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const devices = async () =>
    (await world.api('GET', `/api/enrollment-groups/${groupId}/devices?limit=1000`)).items as {
      device_id: string
      status: string
    }[]

  test('one device is registered manually, and its page follows it to its first settings', async () => {
    await using guarded = await world.openSignedIn('/onboarding/devices')
    const { page } = guarded
    await page.getByRole('heading', { name: 'No device in this group yet' }).waitFor()
    await page.getByRole('button', { name: 'Register device' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Device id').fill('no spaces')
    await dialog.getByRole('button', { name: 'Register device' }).click()
    await dialog.getByText('Use 1 to 128 letters').waitFor()
    await dialog.getByLabel('Device id').fill('hand-1')
    await dialog.getByLabel('Provision it at once').uncheck()
    await dialog.getByRole('button', { name: 'Register device' }).click()
    await page.getByRole('heading', { level: 1, name: 'hand-1' }).waitFor()
    await page.getByText('It has no client at the provider yet').waitFor()
    await page.getByRole('button', { name: 'Provision device' }).click()
    await page.getByRole('link', { name: 'Open its client' }).waitFor()
    expect((await askSettings(world, 'hand-1', 'wrong')).status).toBe(401)
    const doctor = page.getByRole('region', { name: 'Doctor, live' })
    await doctor.getByText('Wrong key').first().waitFor()
    expect((await askSettings(world, 'hand-1', key)).status).toBe(200)
    await doctor.getByText('served').first().waitFor()
    await page.getByText('Key: Primary, group key').waitFor()
    await page.getByRole('tab', { name: 'Key', exact: true }).click()
    await page.getByRole('button', { name: 'Show its key' }).click()
    const path = `/api/enrollment-groups/${groupId}/keys/derive`
    const { items } = await world.api('POST', path, { device_ids: ['hand-1'] })
    await page.getByText(items[0].primary_key).waitFor()
    await page.getByRole('link', { name: 'Open its client' }).click()
    await page.getByRole('tab', { name: 'Twin' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a file registers its devices, reports invalid lines, and can be imported again', async () => {
    await using guarded = await world.openSignedIn(`/onboarding/devices/import?group=${groupId}`)
    const { page } = guarded
    await page.getByLabel('Device ids').waitFor()
    const lines = [
      'serial,device_id',
      ...Array.from({ length: 1200 }, (_, index) => `${index},file-${index}`),
    ]
    const buffer = Buffer.from([...lines, '1,file-1', '7,no spaces', ''].join('\r\n'))
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'factory.csv', mimeType: 'text/csv', buffer })
    await page.getByText('1,200 devices; 1 repeated, taken once; one line has no valid id').waitFor()
    await page.getByLabel('Provision them too').uncheck()
    await page.getByRole('button', { name: 'Register 1,200 devices' }).click()
    await page.getByText('All done.').waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save all as CSV' }).click(),
    ])
    expect(await readFile((await saved.path())!, 'utf8')).toContain('1203,no spaces,"This is no device id')
    expect((await devices()).length).toBeGreaterThanOrEqual(1000)
    await page.getByRole('button', { name: 'Another file' }).click()
    await page.getByLabel('Device ids').fill('file-1\nfile-2\nfile-new')
    await page.getByRole('button', { name: 'Register 3 devices' }).click()
    await page.getByText('All done.').waitFor()
    const figures = page.locator('dl')
    await expect.poll(() => figures.textContent()).toContain('Newly registered1')
    await expect.poll(() => figures.textContent()).toContain('Registered before2')
    expect(guarded.problems).toEqual([])
  })

  test('an import interrupted by a connection failure keeps its progress and continues', async () => {
    await using guarded = await world.openSignedIn(`/onboarding/devices/import?group=${groupId}`)
    const { page } = guarded
    let requests = 0
    await page.route('**/devices/bulk', (route) => (++requests === 2 ? route.abort() : route.continue()))
    await page
      .getByLabel('Device ids')
      .fill(Array.from({ length: 600 }, (_, index) => `broken-${index}`).join('\n'))
    await page.getByLabel('Provision them too').uncheck()
    await page.getByRole('button', { name: 'Register 600 devices' }).click()
    await page.getByText('It broke off here.').waitFor()
    await expect.poll(() => page.locator('dl').textContent()).toContain('Newly registered500')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('All done.').waitFor()
    await expect.poll(() => page.locator('dl').textContent()).toContain('Newly registered600')
    expect(guarded.problems).toEqual([])
  })

  test('bulk actions show their effect and the number of devices, and the server applies the search', async () => {
    for (const id of ['bulk-1', 'bulk-2'])
      await world.api('POST', `/api/enrollment-groups/${groupId}/devices`, { device_id: id })
    await makeDevice(world, groupId, 'bulk-3')
    await using guarded = await world.openSignedIn(`/onboarding/devices?group=${groupId}&search=bulk-`)
    const { page } = guarded
    await page.getByRole('row', { name: /bulk-3/ }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(4)
    await page.getByLabel('Select all loaded rows').check()
    await page.getByRole('button', { name: 'Provision', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 devices get a client at the provider').waitFor()
    await dialog.getByText('1 of the selected stay as they are').waitFor()
    await dialog.getByRole('button', { name: 'Provision', exact: true }).click()
    await dialog.getByText('2 of 2 done, 0 failed.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.poll(() => page.getByRole('row', { name: /bulk-.*Provisioned/ }).count()).toBe(3)
    await page.getByRole('button', { name: 'Remove from the group' }).click()
    await dialog.getByText('3 devices leave the group').waitFor()
    await dialog.getByRole('textbox').fill('Pumps')
    await dialog.getByRole('button', { name: 'Remove from the group' }).click()
    await dialog.getByText('3 of 3 done, 0 failed.').waitFor()
    expect((await devices()).filter(({ device_id }) => device_id.startsWith('bulk-'))).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('without certificates the next step leads to the groups', async () => {
    await using guarded = await world.openSignedIn('/onboarding/certificates')
    const { page } = guarded
    await page.getByRole('link', { name: 'Choose a group' }).click()
    await page.getByRole('row', { name: /Pumps/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('certificates are in the forecast, which links to their list, and are revoked after a confirmation', async () => {
    await world.api('PATCH', `/api/enrollment-groups/${groupId}/certificates`, {
      enabled: true,
      validity_days: 20,
    })
    for (const id of ['cert-1', 'cert-2']) {
      await makeDevice(world, groupId, id)
      await enrol(world, groupId, [id, key])
    }
    await using guarded = await world.openSignedIn('/onboarding/certificates')
    const { page } = guarded
    await page.getByText('2 certificates that can be used end in the coming 26 weeks').waitFor()
    await page.getByRole('link', { name: /2 end$/ }).click()
    await page.getByRole('row', { name: /cert-1/ }).waitFor()
    await page.getByText('2 in all').waitFor()
    await page.getByRole('row', { name: /cert-1/ }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('1: key of the group').waitFor()
    await panel.getByRole('button', { name: 'Revoke certificate' }).click()
    const confirm = page.getByRole('dialog').last()
    await confirm.getByText('It cannot be used any more').waitFor()
    await confirm.getByRole('textbox', { name: /^Type cert-1/ }).fill('cert-1')
    await confirm.getByRole('button', { name: 'Revoke certificate' }).click()
    await panel.getByText('Revoked').first().waitFor()
    await guarded.open(`/onboarding/groups/${groupId}/devices/cert-2?tab=certificates`)
    await page.getByRole('button', { name: 'Revoke all certificates' }).click()
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: /^Type cert-2/ })
      .fill('cert-2')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all certificates' }).click()
    await page.getByRole('row', { name: /Revoked/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a reader who may not see the target or the client of a device is told so', async () => {
    const [{ id: rootId }] = await world.api('GET', '/v1/organizations')
    const plant = { displayName: 'Plant', parentOrganizationId: rootId }
    const { id: plantId } = await world.api('POST', '/v1/organizations', plant)
    const provider = { id: 'plant', type: 'mqtt', displayName: 'Plant', organizationId: plantId }
    await world.api('POST', '/v1/providers', provider)
    const targetId = await makeTarget(world, 'Plant', 'plant')
    const group = await makeGroup(world, targetId, { name: 'Hidden pumps' })
    await makeDevice(world, group, 'hidden-1')
    // Nobody manages devices in the plant any more.
    await world.api('PATCH', `/v1/organizations/${plantId}`, { privileges: [] })

    const path = `/onboarding/groups/${group}/devices/hidden-1`
    await using guarded = await openAs(world, { name: 'Keeper', relation: 'provider_client_manager' }, path)
    const { page } = guarded
    await page.getByText(/It has a client at its provider\. You may not see routing targets/).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Open its client' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.getByRole('dialog').getByText('provider_management', { exact: true }).waitFor()
    expect(await findAppearanceProblems(page, 'why a client is not shown')).toEqual([])

    const [{ id: subjectId }] = await world.api('GET', '/v1/users?search=keeper')
    const toTargets = { subjectType: 'user', subjectId, relation: 'provider_manager' }
    await world.api('POST', '/v1/relations', {
      ...toTargets,
      resourceType: 'organization',
      resourceId: rootId,
    })
    await guarded.open(path)
    const doctor = page.getByRole('region', { name: 'Doctor, live' })
    await doctor.getByText(/The device has a client, which you may not see/).waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Open its client' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page
      .getByRole('dialog')
      .getByText(/a client at the provider, which you may not see/)
      .waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the client of a device at another service is said to be there', async () => {
    const { items } = await world.api('GET', '/api/routing-targets')
    const target = items.find(({ name }: { name: string }) => name === 'Here')
    await makeDevice(world, groupId, 'elsewhere-1')
    await using guarded = await world.openPage()
    await guarded.page.route(`**/api/routing-targets/${target.id}`, async (route) => {
      const answer = await route.fetch()
      const json = { ...(await answer.json()), provider_base_url: 'https://devices.example.com/api' }
      await route.fulfill({ response: answer, json })
    })
    await guarded.open(`/onboarding/groups/${groupId}/devices/elsewhere-1`)
    await signIn(guarded.page, administrator)
    await guarded.page.getByText(/Its client is at another service/).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
