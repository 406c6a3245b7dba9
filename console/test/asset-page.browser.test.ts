import type { MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAsset, makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { chooseFound, chooseGerman, openAsViewer } from './harness/editor.ts'
import { connectPump, makePump, startPump } from './harness/pumps.ts'

const asset = '/assets/pump-7'

describe.skipIf(!hasBrowser())('the asset page', () => {
  let world: TestConsole
  let device: MqttClient
  const send = (payload: object) =>
    device.publishAsync('devices/pump-a/telemetry', JSON.stringify(payload), { qos: 1 })
  beforeAll(async () => {
    world = await startConsole()
    await makePump(world, 'pump-b')
    device = await startPump(world)
    await makeAssets(world.api, { device: 'pump-a' })
    await send({ temperature: 71.5, pressure: 2.1, running: true })
  })
  afterAll(async () => {
    await device?.endAsync(true)
    await world?.[Symbol.asyncDispose]()
  })

  test('signals follow the device, with their unit, their last hour and a link to Explore', async () => {
    await using guarded = await world.openSignedIn(asset)
    const { page } = guarded
    const signals = page.getByRole('list', { name: 'The last hour' })
    // A chart may show the value, too.
    await signals.getByText('71.5', { exact: true }).first().waitFor()
    await send({ temperature: 72.25 })
    await signals.getByText('72.25', { exact: true }).first().waitFor()
    await page.getByRole('figure', { name: 'Temperature, the last hour' }).waitFor()
    await signals.getByText('no value yet').waitFor()
    await page.getByRole('link', { name: 'Temperature' }).click()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('signals'))
      .toBe('pump-7/-/telemetry/temperature')
    expect(guarded.problems).toEqual([])
  })

  test('an asset without a device shows that and the next step', async () => {
    await makeAsset(world.api, 'lonely', 'Lonely pump')
    await using guarded = await world.openSignedIn('/assets/lonely')
    const { page } = guarded
    await page.getByText('No device feeds this asset yet.').waitFor()
    await page.getByText('Not in the tree').waitFor()
    await page.getByRole('link', { name: 'See bindings' }).click()
    await page.getByRole('heading', { name: 'Nothing is bound yet' }).waitFor()
    await page.getByRole('button', { name: 'Replace device' }).click()
    await page.getByText('No device feeds this asset, so that there is none to replace.').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a property is set in a form of its type, sent to the device, and its report appears', async () => {
    await using guarded = await world.openSignedIn(`${asset}?tab=properties`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Set Upper limit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Upper limit' }).fill('3000000000')
    await dialog.getByText(/Write a whole number from/).waitFor()
    await dialog.getByRole('textbox', { name: 'Upper limit' }).fill('95')
    await dialog.getByRole('button', { name: 'Set property' }).click()
    await page.getByRole('cell', { name: '95', exact: true }).waitFor()
    await expect
      .poll(
        async () => (await world.api('GET', '/v1/providers/mqtt/clients/pump-a/properties/desired')).limit,
      )
      .toBe(95)
    await device.publishAsync('devices/pump-a/twin/reported', '{"limit": 95}', { qos: 1 })
    await page.getByText('All that is desired is reported.').waitFor()
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.getByRole('textbox', { name: 'Desired properties' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a command is sent from a form of its model or as JSON, and its response is shown', async () => {
    await using guarded = await world.openSignedIn(`${asset}?tab=commands`)
    const { page } = guarded
    await page.getByRole('button', { name: 'Send command' }).click()
    await page.getByRole('row', { name: /Done/ }).waitFor()
    await page.getByRole('row', { name: /Done/ }).getByRole('button', { name: 'Details' }).click()
    await page.getByRole('dialog').getByText('"seen"').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Command', exact: true }).click()
    await page.getByRole('option', { name: 'Run a recipe' }).click()
    await page.getByRole('button', { name: 'Send command' }).click()
    await page.getByText('This command needs a payload.').waitFor()
    await page.getByLabel('Speed').fill('1.5')
    await page.getByText('Write a whole number.').waitFor()
    await page.getByLabel('Speed').fill('900')
    await page.getByRole('combobox', { name: 'Mode' }).click()
    await page.getByRole('option', { name: 'Full power' }).click()
    await page.getByRole('button', { name: 'Write as JSON' }).click()
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('"mode": "full"')
    await page.getByRole('button', { name: 'Back to the form' }).click()
    await expect.poll(() => page.getByLabel('Speed').inputValue()).toBe('900')
    await page.getByRole('button', { name: 'Send command' }).click()
    // The device does not implement this method.
    await page
      .getByRole('row', { name: /Failed/ })
      .getByRole('button', { name: 'Why?' })
      .click()
    await page.getByRole('dialog').getByText('"full"').waitFor()
    const [sent] = await world.api('GET', '/v1/assets/pump-7/commands/run/history')
    expect(sent.requestPayload).toEqual({ speed: 900, mode: 'full' })
    expect(guarded.problems).toEqual([])
  })

  test('a command waits for an offline device and can be cancelled', async () => {
    await makeAsset(world.api, 'asleep', 'Asleep')
    await makePump(world, 'sleeper')
    await world.api('POST', '/v1/assets/asleep/bind', { autobindRemoteInstanceIds: ['sleeper'] })
    await using guarded = await world.openSignedIn('/assets/asleep?tab=commands&command=-/identify')
    const { page } = guarded
    await page.getByRole('button', { name: 'Send command' }).click()
    await page
      .getByRole('row', { name: /Failed/ })
      .getByRole('button', { name: 'Why?' })
      .click()
    await page.getByText('Connect the device, or let the command wait for it.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'If the device is offline' }).click()
    await page.getByRole('option', { name: 'wait for an hour' }).click()
    await page.getByRole('button', { name: 'Send command' }).click()
    await page.getByRole('row', { name: /Waits/ }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('row', { name: /Cancelled/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('an alarm appears when it becomes active, is acknowledged, and is cleared', async () => {
    await using guarded = await world.openSignedIn(`${asset}?tab=alarms`)
    const { page } = guarded
    await page.getByRole('heading', { name: 'No open alarm' }).waitFor()
    await send({ temperature: 99 })
    const row = page.getByRole('row', { name: /Too hot/ })
    await row.getByText('Active').waitFor()
    await row.getByRole('button', { name: 'Acknowledge' }).click()
    await row.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' })
    await send({ temperature: 50 })
    await page.getByRole('region', { name: 'Cleared alarms' }).getByText('Too hot').waitFor()
    await page.getByRole('heading', { name: 'No open alarm' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('bindings link to their device; replacing it first shows which bindings move', async () => {
    await using guarded = await world.openSignedIn(`${asset}?tab=bindings`)
    const { page } = guarded
    await page
      .getByRole('row', { name: /temperature/ })
      .getByRole('link', { name: 'pump-a' })
      .waitFor()
    await page.getByRole('button', { name: 'Replace device' }).click()
    const dialog = page.getByRole('dialog')
    await chooseFound(dialog.getByRole('combobox', { name: 'New device' }), 'pump-b')
    await dialog.getByText(/bindings move\. Transforms stay\./).waitFor()
    await dialog.getByText(/history stays with the asset/).waitFor()
    await dialog.getByRole('button', { name: 'Replace device' }).click()
    await page
      .getByRole('row', { name: /temperature/ })
      .getByRole('link', { name: 'pump-b' })
      .waitFor()
    const other = await connectPump(world, 'pump-b')
    await other.publishAsync('devices/pump-b/telemetry', '{"temperature": 44.5}', { qos: 1 })
    await page.getByRole('tab', { name: 'Signals' }).click()
    await page.getByText('44.5', { exact: true }).first().waitFor()
    await other.endAsync(true)
    // The menu of the device that feeds the asset now leads to the same dialog.
    await guarded.open('/devices/mqtt/pump-b?tab=bindings')
    await page.getByRole('row', { name: /temperature/ }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Replace device' }).click()
    await chooseFound(dialog.getByRole('combobox', { name: 'New device' }), 'pump-a')
    await dialog.getByText(/bindings move\. Transforms stay\./).waitFor()
    await dialog.getByRole('button', { name: 'Replace device' }).click()
    await page.getByRole('heading', { name: 'Feeds no asset yet' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a user with only the view permission sees why commands are disabled', async () => {
    await using guarded = await openAsViewer(world, `${asset}?tab=commands`)
    const { page } = guarded
    await page.getByText('You may not send commands to this asset.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Send command' }).isDisabled()).toBe(true)
    await page.getByRole('form', { name: 'identify' }).getByRole('button', { name: 'Why?' }).click()
    await page.getByText(/You need the permission “manage”/).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the page is shown in German', async () => {
    await using guarded = await world.openSignedIn(asset)
    const { page } = guarded
    await page.getByRole('tab', { name: 'Signals' }).waitFor()
    await chooseGerman(page)
    for (const tab of ['Signale', 'Eigenschaften', 'Befehle', 'Alarme', 'Bindungen'])
      await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('columnheader', { name: 'Gebunden an' }).waitFor()
    expect(guarded.problems).toEqual([])
  })
})
