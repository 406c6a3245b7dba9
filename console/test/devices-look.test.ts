import type { MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems } from './harness/find-appearance-problems.ts'
import { startPump } from './harness/pumps.ts'

describe.skipIf(!hasBrowser())('appearance of the device pages', () => {
  let world: TestConsole
  let device: MqttClient
  beforeAll(async () => {
    world = await startConsole()
    device = await startPump(world)
  })
  afterAll(async () => {
    await device?.endAsync(true)
    await world?.[Symbol.asyncDispose]()
  })

  test('has no axe violations and no horizontal overflow', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=mqtt&deadLetters=24h')
    const { page } = guarded
    const found: string[] = []
    const look = async (what: string) => {
      await untilSettled(page)
      found.push(...(await findAppearanceProblems(page, what)))
    }
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    await look('list')
    await page.getByRole('row', { name: /pump-a/ }).click()
    await page.getByRole('figure', { name: 'temperature, the last hour' }).waitFor()
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await look((await tab.textContent())!)
    }
    await guarded.open('/devices/mqtt/pump-a?tab=twin&edit=on')
    await page.getByRole('textbox', { name: 'Desired properties' }).waitFor()
    await look('editor of the twin')
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
