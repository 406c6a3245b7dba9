import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseGerman } from './harness/editor.ts'
import { findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
import {
  askSettings,
  enrol,
  generateKey,
  hostile,
  makeDevice,
  makeGroup,
  makeTarget,
} from './harness/onboarding.ts'

const deviceId = `pump-${'0'.repeat(100)}-7`

describe.skipIf(!hasBrowser())('appearance of the onboarding pages', () => {
  let world: TestConsole
  let paths: string[]
  beforeAll(async () => {
    world = await startConsole()
    const targetId = await makeTarget(world, hostile)
    const groupId = await makeGroup(world, targetId, { name: hostile })
    const key = await generateKey(world, groupId)
    await generateKey(world, groupId)
    await makeDevice(world, groupId, deviceId)
    await world.api('POST', `/api/enrollment-groups/${groupId}/devices`, { device_id: 'registered-only' })
    await askSettings(world, deviceId, key)
    await world.api('PATCH', `/api/enrollment-groups/${groupId}/certificates`, {
      enabled: true,
      validity_days: 30,
    })
    await enrol(world, groupId, [deviceId, key])
    const device = `/onboarding/groups/${groupId}/devices/${deviceId}`
    paths = [
      '/onboarding',
      '/onboarding/targets',
      '/onboarding/targets/new',
      `/onboarding/targets/${targetId}`,
      `/onboarding/targets/${targetId}?tab=groups`,
      '/onboarding/groups',
      '/onboarding/groups/new',
      ...['template', 'keys', 'certificates', 'settings'].map(
        (tab) => `/onboarding/groups/${groupId}?tab=${tab}`,
      ),
      '/onboarding/keys',
      '/onboarding/devices',
      '/onboarding/devices/import',
      ...['trace', 'key', 'certificates'].map((tab) => `${device}?tab=${tab}`),
      '/onboarding/certificates',
      '/onboarding/certificates?tab=authorities',
    ]
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/onboarding')
    const found = await findAppearanceProblemsOf(guarded, paths, async (page, path) => {
      // The doctor polls continuously, so the page never settles.
      if (path.includes('tab=trace')) await page.getByRole('region', { name: 'Doctor, live' }).waitFor()
      else await untilSettled(page)
    })
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('every page is shown in German', async () => {
    await using guarded = await world.openSignedIn('/onboarding')
    const { page } = guarded
    await chooseGerman(page)
    for (const [path, words] of [
      ['/onboarding', 'Das erste Gerät verbinden'],
      ['/onboarding/targets', 'Ziel anlegen'],
      ['/onboarding/groups/new', 'Was ein Gerät bekommt'],
      ['/onboarding/keys', 'Wer welchen Schlüssel benutzt'],
      ['/onboarding/devices', 'Per Datei registrieren'],
      ['/onboarding/certificates', 'Zertifizierungsstellen'],
    ] as const) {
      await guarded.open(path)
      await page.getByText(words).first().waitFor()
    }
    expect(guarded.problems).toEqual([])
  })

  test('the palette finds the pages', async () => {
    await using guarded = await world.openSignedIn('/onboarding')
    await guarded.page.getByRole('heading', { level: 1 }).waitFor()
    await guarded.page.keyboard.press('Control+k')
    await guarded.page.getByRole('combobox').fill('routing')
    await guarded.page.getByRole('option', { name: 'Routing targets' }).click()
    await guarded.page.getByRole('heading', { level: 1, name: 'Routing targets' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
