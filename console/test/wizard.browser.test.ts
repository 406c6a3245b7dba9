import { execFile } from 'node:child_process'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { connectAsync, type MqttClient } from 'mqtt'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedPage, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'

const run = promisify(execFile)
const flow = '/onboarding/first-device'

describe.skipIf(!hasBrowser())('the first device', () => {
  let world: TestConsole
  /** The page on which the first test prepares a device; the following tests cause faults of that device. */
  let guarded: GuardedPage
  let groupId: string
  const deviceId = 'device-0001'
  beforeAll(async () => {
    world = await startConsole()
    guarded = await world.openSignedIn('/')
  })
  afterAll(async () => {
    await guarded?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
  })

  const doctor = () => guarded.page.getByRole('region', { name: 'Doctor, live' })
  /** The newest entry of the doctor with this text. */
  const entry = (words: string) => doctor().getByRole('listitem').filter({ hasText: words }).first()
  const askSettings = (id: string, key: string) =>
    fetch(`${world.url}/get_settings`, {
      headers: { authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}` },
    })
  const deriveKey = async () => {
    const path = `/api/enrollment-groups/${groupId}/keys/derive`
    return (await world.api('POST', path, { device_ids: [deviceId] })).items[0].primary_key as string
  }
  const readKey = async () =>
    (await world.api('GET', `/v1/providers/mqtt/clients/${deviceId}/credentials`)).primaryKey as string
  /** @returns what the cure of an entry copies */
  const copyCure = async (found: Locator, name: string) => {
    await guarded.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await found.getByRole('button', { name }).click()
    await found.getByText('Copied').waitFor()
    return guarded.page.evaluate<string>('navigator.clipboard.readText()')
  }
  const connect = (password: string, username = deviceId) =>
    connectAsync(world.server.endpoints.mqtt, { username, password, clientId: username, reconnectPeriod: 0 })

  test('the keyboard alone leads from an empty installation to working commands', async () => {
    const { page } = guarded
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    await pressUntil(page, 'Tab', () => isFocused(page, 'Connect the first device'))
    await page.keyboard.press('Enter')
    await page.getByLabel('Host of the broker').waitFor()
    await pressUntil(page, 'Tab', () => isFocused(page, 'Continue'))
    await page.keyboard.press('Enter')
    await page.getByLabel('Device id', { exact: true }).waitFor()
    await pressUntil(page, 'Tab', () => isFocused(page, 'Prepare the device'))
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'curl and MQTT' }).waitFor()
    await page.getByText('/get_settings').first().waitFor()
    groupId = new URL(page.url()).searchParams.get('group')!
    const { port } = new URL(world.server.endpoints.mqtt.replace('mqtt:', 'http:'))
    const readCommands = () => page.getByRole('tabpanel').textContent()
    await expect.poll(readCommands).toContain(`${deviceId}:${await deriveKey()}`)
    await expect.poll(readCommands).toContain(`-p ${port}`)
    await expect.poll(readCommands).toContain(await readKey())
    await pressUntil(page, 'Tab', () => isFocused(page, 'curl and MQTT'))
    for (const [language, words] of [
      ['TypeScript', '@gangway/device'],
      ['Python', 'paho'],
      ['C, ESP-IDF', '#define DEVICE_ID "device-0001"'],
      ['Arduino', 'PubSubClient'],
    ] as const) {
      await page.keyboard.press('ArrowRight')
      await page.getByRole('tab', { name: language, selected: true }).waitFor()
      await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain(words)
    }
    expect(guarded.problems).toEqual([])
  })

  test('the settings command works as shown', async () => {
    await guarded.page.getByRole('tab', { name: 'curl and MQTT' }).click()
    const first = guarded.page.getByRole('tabpanel').locator('pre').first()
    await expect.poll(() => first.textContent()).toContain('/get_settings')
    const code = await first.textContent()
    const { stdout } = await run('sh', ['-c', code!])
    expect(JSON.parse(stdout)).toMatchObject({ user: deviceId, host: expect.any(String) })
    await entry('Settings asked').getByText('served').waitFor()
  })

  test('an unknown id', async () => {
    await askSettings('device-001', 'any key')
    const found = entry('device-001”')
    await found.getByText('Unknown id').waitFor()
    await found.getByRole('button', { name: 'Copy the right id' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a wrong key; its cure copies the correct one', async () => {
    await askSettings(deviceId, Buffer.alloc(32).toString('base64'))
    expect(await copyCure(entry('Wrong key'), 'Copy the present key')).toBe(await deriveKey())
  })

  test('a disabled group, enabled by the cure', async () => {
    await world.api('PUT', `/api/enrollment-groups/${groupId}`, { status: 'disabled' })
    expect((await askSettings(deviceId, await deriveKey())).status).toBe(403)
    await entry('Group disabled').getByRole('button', { name: 'Enable the group' }).click()
    await expect
      .poll(async () => (await world.api('GET', `/api/enrollment-groups/${groupId}`)).status)
      .toBe('enabled')
  })

  test('a device that is not provisioned, provisioned by the cure', async () => {
    const path = `/api/enrollment-groups/${groupId}/devices`
    await world.api('DELETE', `${path}/${deviceId}`)
    await world.api('POST', path, { device_id: deviceId })
    expect((await askSettings(deviceId, await deriveKey())).status).toBe(409)
    await entry('Not provisioned').getByRole('button', { name: 'Provision the device' }).click()
    const key = await deriveKey()
    await expect.poll(async () => (await askSettings(deviceId, key)).status).toBe(200)
  })

  test('TLS: an authority that the device does not trust, and each port with the wrong protocol', async () => {
    const port = (url: string) => Number(new URL(url.replace(/^mqtts?/, 'http')).port)
    const { mqtt, mqtts } = world.server.endpoints
    const target = `127.0.0.1:${port(mqtts)}`
    await run('openssl', ['s_client', '-connect', target, '-verify_return_error']).catch(() => {})
    await entry('TLS: certificate not trusted').getByRole('link', { name: 'Download ca.crt' }).waitFor()
    connectTls({ port: port(mqtt), host: '127.0.0.1' }).on('error', () => {})
    await entry('TLS: at a port without it')
      .getByRole('button', { name: 'Copy the address with TLS' })
      .waitFor()
    const clear = connectTcp(port(mqtts), '127.0.0.1').on('error', () => {})
    clear.write(Buffer.from([0x10, 12, 0, 4, 77, 81, 84, 84, 4, 2, 0, 60, 0, 0]))
    const plain = await copyCure(entry('TLS: spoken in clear text'), 'Copy the address without TLS')
    expect(plain).toBe(`127.0.0.1:${port(mqtt)}`)
    expect(guarded.problems).toEqual([])
  })

  test('a device that is disabled at the broker, enabled by the cure', async () => {
    const path = `/v1/providers/mqtt/clients/${deviceId}`
    await world.api('PATCH', path, { enabled: false })
    await connect(await readKey()).catch(() => {})
    await entry('Device disabled').getByRole('button', { name: 'Enable the device' }).click()
    await expect.poll(async () => (await world.api('GET', path)).enabled).toBe(true)
    expect(guarded.problems).toEqual([])
  })

  test('a wrong password, a wrong topic, bad JSON and a value that cannot be stored', async () => {
    await connect('wrong').catch(() => {})
    const command = await copyCure(entry('Wrong password'), 'Copy the command for its settings')
    const { stdout } = await run('sh', ['-c', command])
    const key = await readKey()
    expect(JSON.parse(stdout).primary).toBe(key)
    const device = await connect(key)
    await publish(device, `devices/${deviceId}/values`, '{"temperature": 21}')
    await entry('Wrong topic').getByText('reads nothing on this topic').waitFor()
    const telemetry = `devices/${deviceId}/telemetry`
    expect(await copyCure(entry('Wrong topic'), 'Copy the right topic')).toBe(telemetry)
    await publish(device, telemetry, '{"temp": 21,5}')
    const found = entry('Bad JSON')
    await found.getByText('A comma stands where a decimal point should.').waitFor()
    await found.getByText('{"temp": 21,5}').waitFor()
    const working = '{"temperature": 21.5}'
    expect(await copyCure(found, 'Copy a message that works')).toBe(working)
    await publish(device, telemetry, '{"temperature": 21.5, "timestamp": "yesterday"}')
    await entry('Value not stored').getByText('ISO 8601').first().waitFor()
    expect(await copyCure(entry('Value not stored'), 'Copy a message that works')).toBe(working)
    device.publish('devices/other/telemetry', '{}', { qos: 1 })
    await entry('Connection ended').getByText('Wrong topic').waitFor()
    await device.endAsync(true)
    expect(guarded.problems).toEqual([])
  })

  test.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])(
    'a fault after a value of a device whose clock is %s stays open, with its cure',
    async (_, differenceMs) => {
      const device = await connect(await readKey())
      const telemetry = `devices/${deviceId}/telemetry`
      const timestamp = new Date(Date.now() + differenceMs).toISOString()
      await publish(device, telemetry, JSON.stringify({ clock: differenceMs, timestamp }))
      await doctor().getByText('Values arrive').waitFor()
      await expect.poll(() => entry('Bad JSON').getByRole('button').count()).toBe(0)
      await publish(device, telemetry, `{"clock": ${differenceMs},5}`)
      const found = entry(`{"clock": ${differenceMs},5}`)
      await found.getByRole('button', { name: 'Copy a message that works' }).waitFor()
      await doctor().getByRole('status').getByText('Bad JSON').waitFor()
      await device.endAsync(true)
      expect(guarded.problems).toEqual([])
    },
  )

  test('the first value settles the faults and is on the chart', async () => {
    const device = await connect(await readKey())
    await publish(device, `devices/${deviceId}/telemetry`, '{"temperature": 21.5}')
    await doctor().getByText('Values arrive').waitFor()
    await pressUntil(guarded.page, 'Tab', () => isFocused(guarded.page, 'Show it on the chart'))
    await guarded.page.keyboard.press('Enter')
    await guarded.page.getByRole('img', { name: /^temperature, 1 values/ }).waitFor()
    await guarded.page.getByText('21.5').first().waitFor()
    await device.endAsync()
    await guarded.page.reload()
    await guarded.page.getByRole('img', { name: /^temperature/ }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('the server simulates a device for users without hardware', async () => {
    await using another = await world.openSignedIn(`${flow}?step=code&group=${groupId}&device=${deviceId}`)
    await another.page.getByRole('button', { name: 'Simulate one' }).click()
    await another.page.getByRole('button', { name: 'Stop the simulation' }).waitFor()
    await another.page.getByText('running true').waitFor()
    await another.page.getByRole('button', { name: 'Stop the simulation' }).click()
    await another.page.getByRole('button', { name: 'Simulate one' }).waitFor()
    expect(another.problems).toEqual([])
  })

  test('invalid input is reported at its field', async () => {
    await using another = await world.openSignedIn(`${flow}?step=device`)
    await another.page.getByLabel('Device id', { exact: true }).fill('<img src=x onerror=alert(1)>')
    await another.page.getByRole('button', { name: 'Prepare the device' }).click()
    await another.page.getByText('Use 1 to 128 letters').waitFor()
    expect(another.problems).toEqual([])
  })

  test('home counts the faults and links to them', async () => {
    await using another = await world.openSignedIn('/')
    const { page } = another
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByText(/messages? could not be read/).waitFor()
    const readLink = (name: RegExp) => page.getByRole('link', { name }).getAttribute('href')
    expect(await readLink(/per second/)).toBe('/console/system')
    expect(await readLink(/^\d.*B$/)).toBe('/console/settings')
    await page.getByRole('link', { name: /attempts did not succeed/ }).click()
    await page.getByRole('heading', { name: 'Onboarding trace' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('outcome')).toBe('unsuccessful')
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toMatch(/^\d{4}-/)
    await page
      .getByRole('row', { name: /Wrong key/ })
      .first()
      .getByRole('button', { name: 'Why?' })
      .click()
    const details = page.getByRole('dialog')
    await details.getByText('bootstrap_key_wrong').waitFor()
    await page.reload()
    await details.getByText('bootstrap_key_wrong').waitFor()
    await details.getByRole('region', { name: `What happens to ${deviceId}` }).waitFor()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    expect(another.problems).toEqual([])
  })
})

const publish = (device: MqttClient, topic: string, payload: string) =>
  device.publishAsync(topic, payload, { qos: 1 })

const isFocused = (page: Page, name: string) =>
  page.evaluate((text) => document.activeElement?.textContent === text, name)

async function pressUntil(page: Page, key: string, isDone: () => Promise<boolean>) {
  for (let presses = 0; presses < 100; presses++) {
    if (await isDone()) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not lead there`)
}
