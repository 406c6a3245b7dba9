import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { enrol, generateKey, makeDevice, makeGroup, makeTarget } from './harness/onboarding.ts'

describe.skipIf(!hasBrowser())('certificate authorities', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
    const groupId = await makeGroup(world, await makeTarget(world, 'Here'), { name: 'Pumps' })
    const key = await generateKey(world, groupId)
    await world.api('PATCH', `/api/enrollment-groups/${groupId}/certificates`, { enabled: true })
    await makeDevice(world, groupId, 'cert-1')
    await enrol(world, groupId, ['cert-1', key])
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('an authority is rotated, and the retired one is revoked by name with its certificates', async () => {
    await using guarded = await world.openSignedIn('/onboarding/certificates?tab=authorities')
    const { page } = guarded
    await page.getByRole('row', { name: /Issuing Active/ }).waitFor()
    await page.getByRole('button', { name: 'Rotate authority' }).click()
    const rotation = page.getByRole('dialog', { name: 'Rotate authority' })
    await rotation.getByText('its certificates connect and renew until they end').waitFor()
    await rotation.getByRole('button', { name: 'Rotate authority' }).click()
    await page.getByRole('row', { name: /Issuing Retired/ }).click()
    await page.getByRole('button', { name: 'Revoke authority' }).click()
    const confirm = page.getByRole('dialog', { name: 'Revoke this authority?' })
    await confirm.getByText('Every certificate that it issued is revoked with it').waitFor()
    const authorities = await readAuthorities()
    const retired = authorities.find(({ status }) => status === 'retired')!
    await confirm.getByRole('textbox', { name: /^Type / }).fill(retired.id.slice(0, 8))
    await confirm.getByRole('button', { name: 'Revoke authority' }).click()
    await page.getByRole('row', { name: /Issuing Revoked/ }).waitFor()
    await page.getByRole('row', { name: /Issuing Active/ }).waitFor()
    await page.getByRole('tab', { name: 'Certificates' }).click()
    await page.getByRole('row', { name: /cert-1.*Revoked/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('an authority of the operator that is no certificate is refused in its form', async () => {
    await using guarded = await world.openSignedIn('/onboarding/certificates?tab=authorities')
    const { page } = guarded
    await page.getByRole('button', { name: 'Bring your own' }).click()
    const dialog = page.getByRole('dialog', { name: 'Bring your own' })
    await dialog.getByLabel('Certificates').fill('nothing')
    await dialog.getByLabel('Private key').fill('nothing')
    const before = (await readAuthorities()).length
    await dialog.getByRole('button', { name: 'Bring your own' }).click()
    await dialog.locator('[aria-invalid="true"]').or(dialog.getByRole('alert')).first().waitFor()
    await expect.poll(() => dialog.getByLabel('Certificates').inputValue()).toBe('nothing')
    expect(await readAuthorities()).toHaveLength(before)
    expect(guarded.problems).toEqual([])
  })

  const readAuthorities = async () =>
    (await world.api('GET', '/v1/certificate-authorities')) as { id: string; status: string }[]
})
