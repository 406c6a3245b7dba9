import type { MqttClient } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { typeInEditor } from './harness/editor.ts'
import { connectPump, makePump, startPump } from './harness/pumps.ts'
import { deployTwice, hostileNames, makeDevices, sendValues } from './harness/fixtures.mjs'

const clients = '/v1/providers/mqtt/clients'
const pump = '/devices/mqtt/pump-a'

describe.skipIf(!hasBrowser())('devices', () => {
  let world: TestConsole
  let device: MqttClient
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    device = await startPump(world)
  })
  afterAll(async () => {
    await device?.endAsync(true)
    await world?.[Symbol.asyncDispose]()
  })

  test('filters narrow the list and are part of the address', async () => {
    // The server stores the time of a client's last message with a delay.
    const readLast = async () => (await world.api('GET', `${clients}/pump-a`)).connection.lastMessageAt
    await expect.poll(readLast).not.toBeNull()
    await using guarded = await world.openSignedIn('/devices?provider=mqtt')
    const { page } = guarded
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    await page.getByRole('button', { name: 'Dead letters' }).click()
    await page.getByRole('menuitemradio', { name: 'in the last day' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('deadLetters')).toBe('24h')
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    await page.getByRole('button', { name: 'Silent' }).click()
    await page.getByRole('menuitemradio', { name: 'for a week' }).click()
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a device is created, refused if its id is taken, and deleted after its name was typed', async () => {
    await using guarded = await world.openSignedIn('/devices?provider=mqtt')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create device' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Id', { exact: true }).fill('no spaces')
    await dialog.getByRole('button', { name: 'Create device' }).click()
    await dialog.getByText('Use 1 to 128 letters').waitFor()
    await dialog.getByLabel('Id', { exact: true }).fill('pump-a')
    await dialog.getByRole('button', { name: 'Create device' }).click()
    await dialog
      .getByRole('alert')
      .or(dialog.getByText(/pump-a.*(exist|taken|used)/i))
      .first()
      .waitFor()
    await expect.poll(() => dialog.getByLabel('Id', { exact: true }).inputValue()).toBe('pump-a')
    await dialog.getByLabel('Id', { exact: true }).fill('pump-new')
    await dialog.getByLabel('Name').fill(hostileNames[0]!)
    await dialog.getByRole('button', { name: 'Create device' }).click()
    await page.getByRole('heading', { level: 1, name: hostileNames[0]! }).waitFor()
    // The code for the device is shown next, with its key.
    const { primaryKey } = await world.api('GET', `${clients}/pump-new/credentials`)
    await page.getByText(primaryKey).first().waitFor()
    const made = await connectPump(world, 'pump-new')
    await made.publishAsync('devices/pump-new/telemetry', '{"temperature": 21.5}', { qos: 1 })
    await page.getByText('Values arrive.').waitFor()
    await page.getByRole('region', { name: 'Doctor, live' }).getByText('21.5').first().waitFor()
    await made.endAsync(true)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete device' }).click()
    const confirm = page.getByRole('dialog')
    await expect.poll(() => confirm.getByRole('button', { name: 'Delete device' }).isDisabled()).toBe(true)
    await confirm.getByRole('textbox').fill('pump-new')
    await confirm.getByRole('button', { name: 'Delete device' }).click()
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /pump-new/ }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('devices of all providers are in one list, which a parameter of the address limits to one provider', async () => {
    await using guarded = await world.openSignedIn('/devices')
    const { page } = guarded
    await page.getByRole('row', { name: /pump-a/ }).waitFor()
    await page.getByRole('row', { name: /Pump 0/ }).waitFor()
    await page.getByRole('button', { name: 'Provider', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'Plant' }).click()
    await expect.poll(() => page.getByRole('row', { name: /pump-a/ }).count()).toBe(0)
    await expect.poll(() => new URL(page.url()).searchParams.get('provider')).toBe('plant')
    await page.getByRole('button', { name: 'Silent' }).click()
    await page.getByText('Enabled devices of which no message has come since then').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the firmware tab has the history of the device, and each update has an address', async () => {
    await deployTwice(world.api, 'pump-0001')
    await using guarded = await world.openSignedIn('/devices/plant/pump-0001?tab=firmware')
    const { page } = guarded
    await page.getByRole('heading', { name: 'Update 2.0' }).waitFor()
    const history = page.getByRole('region', { name: 'History' })
    await history.getByRole('row', { name: /1\.0/ }).getByText('Succeeded').waitFor()
    await history.getByRole('row', { name: /1\.0/ }).click()
    await page.getByRole('dialog').getByRole('heading', { name: 'Update 1.0' }).waitFor()
    await page.reload()
    await page.getByRole('dialog').getByRole('heading', { name: 'Update 1.0' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).searchParams.get('update')).toBeNull()
    await page.getByRole('link', { name: 'Firmware 1.0' }).waitFor()
    await guarded.open('/devices?search=pump-0001')
    await page
      .getByRole('row', { name: /pump-0001/ })
      .getByText('1.0', { exact: true })
      .waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the tab of dead letters says how many there are', async () => {
    await using guarded = await world.openSignedIn(`${pump}?tab=messages`)
    const { page } = guarded
    const letters = await world.api('GET', `${clients}/pump-a/dead-letters`)
    expect(letters.length).toBeGreaterThan(0)
    await page.getByRole('tab', { name: `Dead letters ${letters.length}`, exact: true }).waitFor()
    await guarded.open('/devices/plant/pump-0002')
    await page.getByRole('tab', { name: 'Dead letters', exact: true }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the twin shows the difference, reports invalid input, and names a conflict by its version', async () => {
    await using guarded = await world.openSignedIn(`${pump}?tab=twin`)
    const { page } = guarded
    await page.getByText('2 desired properties are not what the device reports.').waitFor()
    await page.getByRole('button', { name: 'Edit desired properties' }).click()
    const editor = page.getByRole('textbox', { name: 'Desired properties' })
    await typeInEditor(page, 'Desired properties', '{"limit": 95, "$no": 1}')
    await page.getByText('“$no” is reserved').waitFor()
    await typeInEditor(page, 'Desired properties', '{"limit": 95, "mode": {"name": "auto"}}')
    await page.getByRole('insertion').getByText('95').waitFor()
    // Another user saves in the meantime.
    await world.api('PUT', `${clients}/pump-a/properties/desired`, { speed: 3 })
    await page.getByRole('button', { name: 'Send to the device' }).click()
    await page.getByText(/was saved while you edited version/).waitFor()
    await page.reload()
    await editor.waitFor()
    await expect.poll(() => editor.textContent()).toContain('95')
    await page.getByRole('button', { name: 'Send to the device' }).click()
    await page.getByRole('button', { name: /^Put my changes on version/ }).click()
    await expect.poll(() => editor.textContent()).toContain('speed')
    await page.getByRole('button', { name: 'Send to the device' }).click()
    await page.getByRole('cell', { name: '95', exact: true }).waitFor()
    const desired = await world.api('GET', `${clients}/pump-a/properties/desired`)
    expect(desired).toMatchObject({ limit: 95, mode: { name: 'auto' }, speed: 3 })
    expect(guarded.problems).toEqual([])
  })

  test('a report of the device appears in the twin without a reload', async () => {
    await using guarded = await world.openSignedIn(`${pump}?tab=twin`)
    await guarded.page.getByRole('cell', { name: '"A-7"' }).waitFor()
    await device.publishAsync('devices/pump-a/twin/reported', '{"serial": "A-8"}', { qos: 1 })
    await guarded.page.getByRole('cell', { name: '"A-8"' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the outcomes of a method call: a result, an error, no response, and not sent', async () => {
    await makePump(world, 'pump-off')
    await using guarded = await world.openSignedIn(`${pump}?tab=methods`)
    const { page } = guarded
    const invoke = async (method: string) => {
      await page.getByLabel('Method', { exact: true }).fill(method)
      await page.getByRole('button', { name: 'Invoke method' }).click()
    }
    await invoke('identify')
    await page.getByText(/^Done, answered 200/).waitFor()
    await page.getByText('"seen"').waitFor()
    await invoke('unknown')
    await page.getByText(/^Answered 404/).waitFor()
    await page.getByLabel('Wait for').fill('5')
    // It waits only for seconds.
    const waiting = page.getByText(/^Waiting for the answer to hang/).waitFor()
    await invoke('hang')
    await waiting
    await page.getByText(/^No answer within/).waitFor()
    await page.getByText('The device may have carried it out all the same').waitFor()
    await guarded.open('/devices/mqtt/pump-off?tab=methods')
    await page.getByText('The device is not connected now').waitFor()
    await invoke('identify')
    await page.getByText('Not sent').waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a dead letter is tried with another parser, which is then saved', async () => {
    await using guarded = await world.openSignedIn(`${pump}?tab=messages`)
    const { page } = guarded
    await page.getByRole('row', { name: /Not JSON/ }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('pump temperature=21.5').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('letter')).not.toBeNull()
    await panel.getByRole('button', { name: 'Try parser' }).click()
    await panel.getByText('It cannot read this payload either').waitFor()
    await panel.getByRole('combobox', { name: 'Parser' }).click()
    await page.getByRole('option', { name: 'influx-line' }).click()
    await panel.getByRole('button', { name: 'Try parser' }).click()
    await panel.getByText('It would store 1 value').waitFor()
    await panel.getByRole('cell', { name: 'pump.temperature' }).waitFor()
    await panel.getByRole('button', { name: 'Use influx-line from now on' }).click()
    await panel.getByText('influx-line reads the messages of this device from now on.').waitFor()
    await world.api('PATCH', `${clients}/pump-a`, { providerData: { parser: null } })
    expect(guarded.problems).toEqual([])
  })

  test('connections show the reasons of their ends, and keys are shown on request only', async () => {
    await makePump(world, 'pump-b')
    const other = await connectPump(world, 'pump-b')
    await using guarded = await world.openSignedIn('/devices/mqtt/pump-b?tab=credentials')
    const { page } = guarded
    const { primaryKey, secondaryKey } = await world.api('GET', `${clients}/pump-b/credentials`)
    await page.getByRole('button', { name: 'Show keys' }).waitFor()
    await expect.poll(() => page.getByText(primaryKey).count()).toBe(0)
    await page.getByRole('button', { name: 'Show keys' }).click()
    await page.getByText(primaryKey).waitFor()
    await page.getByRole('button', { name: 'Rotate keys' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('pump-b')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate keys' }).click()
    await page.getByText('The keys were rotated').waitFor()
    await page.getByText(secondaryKey).waitFor()
    await expect.poll(() => page.getByText(primaryKey).count()).toBe(0)
    await expect.poll(() => other.connected).toBe(false)
    await guarded.open('/devices/mqtt/pump-b?tab=connections')
    await page.getByText('Its key was rotated').waitFor()
    await page.getByRole('tabpanel').getByRole('button', { name: 'Why?' }).first().click()
    await page.getByRole('dialog').getByText('Give the device its present key.').waitFor()
    await other.endAsync(true)
    expect(guarded.problems).toEqual([])
  })

  test('a device over HTTP shows which functions it does not have', async () => {
    await using guarded = await world.openSignedIn('/devices/plant/pump-0000?tab=credentials')
    const { page } = guarded
    await page.getByRole('button', { name: 'Show keys' }).click()
    await page.getByRole('heading', { name: 'This device has no keys' }).waitFor()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByRole('heading', { name: 'Limits of MQTT do not apply' }).waitFor()
    await page.getByRole('tab', { name: 'Firmware' }).click()
    await page.getByRole('heading', { name: 'No update yet' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a value and its chart follow the device', async () => {
    await using guarded = await world.openSignedIn('/devices/plant/pump-0000')
    const { page } = guarded
    await page.getByRole('figure', { name: 'pressure, the last hour' }).waitFor()
    await sendValues(world.api, 'pump-0000', { pressure: 4.75 })
    await page.getByText('4.75', { exact: true }).first().waitFor()
    expect(guarded.problems).toEqual([])
  })
})
