import type { MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { startPump } from './harness/pumps.ts'

describe.skipIf(!hasBrowser())('appearance of the asset page', () => {
  let world: TestConsole
  let device: MqttClient
  beforeAll(async () => {
    world = await startConsole()
    device = await startPump(world)
    await makeAssets(world.api, { device: 'pump-a' })
    await device.publishAsync('devices/pump-a/telemetry', '{"temperature": 97.5, "running": true}', {
      qos: 1,
    })
    await world.api('POST', '/v1/assets/pump-7/commands/identify', {})
  })
  afterAll(async () => {
    await device?.endAsync(true)
    await world?.[Symbol.asyncDispose]()
  })

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/assets/pump-7')
    const { page } = guarded
    const found: string[] = []
    const look = async (what: string) => {
      await untilSettled(page)
      found.push(...(await findAppearanceProblems(page, what)))
    }
    await page.getByRole('figure', { name: 'Temperature, the last hour' }).waitFor()
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await look((await tab.textContent())!)
    }
    await guarded.open('/assets/pump-7?tab=commands&command=-/run')
    await page.getByLabel('Speed').fill('1.5')
    await look('form')
    await page.getByRole('button', { name: 'Replace device' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'New device' }).waitFor()
    await look('replace')
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
