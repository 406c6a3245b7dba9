import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { typeInEditor } from './harness/editor.ts'
import { findAxeProblems } from './harness/find-axe-problems.ts'
import { askSettings, generateKey, hostile, makeDevice, makeGroup, makeTarget } from './harness/onboarding.ts'

describe.skipIf(!hasBrowser())('enrollment groups and their keys', () => {
  let world: TestConsole
  let targetId: string
  beforeAll(async () => {
    world = await startConsole()
    targetId = await makeTarget(world, 'Here')
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('a group is created with a template whose problems are marked, and previewed without keys', async () => {
    await using guarded = await world.openSignedIn('/onboarding/groups')
    const { page } = guarded
    await page.getByRole('heading', { name: 'No group yet' }).waitFor()
    await page.getByRole('link', { name: 'Create group' }).first().click()
    const form = page.getByRole('form', { name: 'Create group' })
    await form.getByLabel('Name').fill(hostile)
    const preview = page.getByRole('region', { name: 'What a device gets' })
    await preview.getByText('"device-0001"').waitFor()
    await preview.getByText('<primary key>').waitFor()
    await preview.getByLabel('Preview for').fill('pump-7')
    await preview.getByText('"pump-7"').waitFor()
    await typeTemplate(page, '{"a": "{{device.name}}",\n"b": {"c": "x {{target.port"}}')
    await page.getByText('2 problems').waitFor()
    await page.getByText('Line 1: There is no variable {{device.name}}.').waitFor()
    await page.getByText('Line 2: {{ without }}.').waitFor()
    await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(2)
    await form.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('alert').getByText('response_template.a', { exact: true }).waitFor()
    // The input survives the error and a reload.
    await page.reload()
    await page.getByText('Line 1: There is no variable {{device.name}}.').waitFor()
    await typeTemplate(page, '{"server": "')
    await page.keyboard.type('{{tar')
    await page.getByRole('option', { name: /target\.host/ }).click()
    await expect.poll(() => readTemplate(page)).toContain('{{target.host}}')
    await typeTemplate(page, '{"server": "{{target.host}}"}')
    await preview.getByText('"127.0.0.1"').waitFor()
    await page.getByText('No problems').waitFor()
    await form.getByRole('button', { name: 'Create group' }).click()
    await page.getByText('There is no key yet').waitFor()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    const { items } = await world.api('GET', '/api/enrollment-groups')
    expect(items[0]).toMatchObject({
      name: hostile,
      key_policy: 'derived_only',
      response_template: { server: '{{target.host}}' },
    })
    expect(guarded.problems).toEqual([])
  })

  test('a change of the template shows the affected devices and is not lost when the page is left', async () => {
    const groupId = await makeGroup(world, targetId, { name: 'Edited' })
    await generateKey(world, groupId)
    await makeDevice(world, groupId, 'edited-1')
    await using guarded = await world.openSignedIn(`/onboarding/groups/${groupId}`)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Template' }).waitFor()
    await typeTemplate(page, '{"id": "{{device.id}}"}')
    await page.getByText('The device of this group gets the new settings').waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('combobox', { name: 'Preview for' }).fill('edited-1')
    await page.getByText('A device of this group.').waitFor()
    await page.getByRole('button', { name: 'Save template' }).click()
    await expect
      .poll(async () => (await world.api('GET', `/api/enrollment-groups/${groupId}`)).response_template)
      .toEqual({ id: '{{device.id}}' })
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByRole('dialog').getByText('One device is registered in it').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Disable group' }).click()
    await page.getByRole('dialog').getByText('Its one device gets no settings').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable group' }).click()
    await page.getByRole('button', { name: 'Enable group' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('of two people who edit one template, the second sees what the first has saved, and nothing is lost', async () => {
    const groupId = await makeGroup(world, targetId, { name: 'Shared' })
    const read = async () => (await world.api('GET', `/api/enrollment-groups/${groupId}`)).response_template
    await using guarded = await world.openSignedIn(`/onboarding/groups/${groupId}`)
    const { page } = guarded
    await page.getByRole('textbox', { name: 'Template' }).waitFor()
    await typeTemplate(page, '{"mine": "{{device.id}}"}')
    await world.api('PUT', `/api/enrollment-groups/${groupId}`, { response_template: { theirs: 1 } })
    await page.getByRole('button', { name: 'Save template' }).click()
    const conflict = page.getByRole('alert', { name: 'Somebody else has saved this template' })
    await conflict.getByLabel('Saved by somebody else').getByText('"theirs": 1').waitFor()
    await conflict.getByLabel('Yours, not saved').getByText('"mine": "{{device.id}}"').waitFor()
    expect(await read()).toEqual({ theirs: 1 })
    expect(await findAxeProblems(page)).toEqual([])
    // The conflict survives a reload: the draft keeps what its editing began with.
    await page.reload()
    await conflict.getByLabel('Yours, not saved').getByText('"mine": "{{device.id}}"').waitFor()
    await conflict.getByRole('button', { name: 'Go on with mine' }).click()
    await conflict.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save template' }).click()
    await expect.poll(read).toEqual({ mine: '{{device.id}}' })
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' })
    await typeTemplate(page, '{"mine": 2}')
    await world.api('PUT', `/api/enrollment-groups/${groupId}`, { response_template: { theirs: 2 } })
    await page.getByRole('button', { name: 'Save template' }).click()
    await conflict.getByRole('button', { name: 'Discard mine' }).click()
    await expect.poll(() => readTemplate(page)).toContain('"theirs": 2')
    expect(await read()).toEqual({ theirs: 2 })
    expect(guarded.problems).toEqual([])
  })

  test('keys are generated, shown on demand, and flipped only if no device is locked out', async () => {
    const groupId = await makeGroup(world, targetId, { name: 'Keys' })
    await using guarded = await world.openSignedIn(`/onboarding/keys?group=${groupId}`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Generate key' }).click()
    await page.getByRole('button', { name: 'Generate second key' }).waitFor()
    const { primary_key: first } = await world.api('GET', `/api/enrollment-groups/${groupId}/keys`)
    await expect.poll(() => page.getByText(first).count()).toBe(0)
    await page.getByRole('button', { name: 'Show keys' }).click()
    await page.getByText(first).waitFor()
    for (const id of ['keys-1', 'keys-2']) await makeDevice(world, groupId, id)
    expect((await askSettings(world, 'keys-1', first)).status).toBe(200)
    await page.getByRole('button', { name: 'Generate second key' }).click()
    await page.getByRole('button', { name: 'Flip keys' }).waitFor()
    await page.reload()
    await page.getByText('Not ready to flip: 0 of 2 used the secondary key last').waitFor()
    await page
      .getByRole('row', { name: /^Never asked/ })
      .getByRole('link', { name: '1' })
      .click()
    await page.getByRole('row', { name: /keys-2/ }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /keys-1/ }).count()).toBe(0)
    await page.goBack()
    await page.getByRole('button', { name: 'Flip keys' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('One device still uses the primary key').waitFor()
    await dialog.getByText('One device has never asked').waitFor()
    await dialog.getByRole('textbox').fill('Keys')
    await dialog.getByRole('button', { name: 'Flip keys' }).click()
    await dialog.getByText('devices_not_ready').waitFor()
    const keys = await world.api('GET', `/api/enrollment-groups/${groupId}/keys`)
    expect(keys.primary_key).toBe(first)
    await dialog.getByLabel('Only if no device is locked out').uncheck()
    await dialog.getByRole('button', { name: 'Flip keys' }).click()
    await page.getByRole('button', { name: 'Generate second key' }).waitFor()
    await page
      .getByRole('row', { name: /^A key that is gone/ })
      .getByRole('link', { name: '1' })
      .waitFor()
    await page.getByRole('button', { name: 'Accept derived keys only' }).click()
    await dialog.getByText('One device sent the group key last').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('keys are derived for one device and for a list, with invalid lines reported', async () => {
    const groupId = await makeGroup(world, targetId, { name: 'Factory' })
    await generateKey(world, groupId)
    await using guarded = await world.openSignedIn(`/onboarding/groups/${groupId}?tab=keys`)
    const { page } = guarded
    const derive = page.getByRole('region', { name: 'Keys for the factory' })
    await derive.getByLabel('Device ids').fill('pump-1\nno spaces')
    await derive.getByText('Line 2: “no spaces” is no device id').waitFor()
    await derive.getByLabel('Device ids').fill('pump-1')
    await derive.getByRole('button', { name: 'Derive its key' }).click()
    const path = `/api/enrollment-groups/${groupId}/keys/derive`
    const [{ primary_key: key }] = (await world.api('POST', path, { device_ids: ['pump-1'] })).items
    await derive.getByText(key).waitFor()
    const ids = Array.from({ length: 5000 }, (_, index) => `pump-${index}`)
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'ids.txt', mimeType: 'text/plain', buffer: Buffer.from(ids.join('\n')) })
    await derive.getByRole('button', { name: 'Derive 5,000 keys' }).click()
    await derive.getByText('5,000 keys are derived').waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      derive.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const lines = (await readFile((await saved.path())!, 'utf8')).trim().split('\r\n')
    expect(lines).toHaveLength(5001)
    expect(lines[2]).toBe(`pump-1,${key},`)
    expect(guarded.problems).toEqual([])
  })

  test('certificate settings and other settings of a group are saved', async () => {
    const groupId = await makeGroup(world, targetId, { name: 'Settings' })
    await using guarded = await world.openSignedIn(`/onboarding/groups/${groupId}?tab=certificates`)
    const { page } = guarded
    await page.getByLabel('Devices of this group may enrol').check()
    await page.getByLabel('Authorities of the manufacturer').fill('no certificate')
    await page.getByRole('button', { name: 'Save certificate settings' }).click()
    await page.getByText('Something here is no certificate in PEM.').waitFor()
    await page.getByLabel('Authorities of the manufacturer').fill('')
    await page.getByRole('button', { name: 'Save certificate settings' }).click()
    await expect
      .poll(async () => (await world.api('GET', `/api/enrollment-groups/${groupId}/certificates`)).enabled)
      .toBe(true)
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Serve the last known settings').check()
    await page.getByLabel('How old they may be').fill('2')
    await page.getByRole('button', { name: 'Save group' }).click()
    await expect
      .poll(async () => world.api('GET', `/api/enrollment-groups/${groupId}`))
      .toMatchObject({ offline_settings: true, offline_settings_max_age_seconds: 172_800 })
    expect(guarded.problems).toEqual([])
  })
})

const typeTemplate = (page: Page, text: string) => typeInEditor(page, 'Template', text)

const readTemplate = (page: Page) => page.getByRole('textbox', { name: 'Template' }).textContent()
