/** The programs that the wizard shows are run as they are, against the server. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPythonWithPaho, missingPrograms, root } from '../../server/test/harness/example-programs.ts'
import { type GuardedPage, hasBrowser, startConsole, type TestConsole } from './harness/console.ts'

const run = promisify(execFile)
const flow = '/onboarding/first-device'
const deviceId = 'device-0001'
const python = findPythonWithPaho()
const hasMosquitto = missingPrograms(['mosquitto_pub'], '--help').length === 0
if (!python) console.log('Skipped: the Python of the wizard (python3 with paho-mqtt is not installed)')
if (!hasMosquitto) console.log('Skipped: the commands of the wizard (mosquitto_pub is not installed)')

describe.skipIf(!hasBrowser())('programs of the wizard', () => {
  let world: TestConsole
  let guarded: GuardedPage
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangway-device-code-'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    world = await startConsole()
    guarded = await world.openSignedIn(flow)
    await guarded.page.getByRole('button', { name: 'Continue' }).click()
    await guarded.page.getByRole('button', { name: 'Prepare the device' }).click()
    await guarded.page.getByRole('tab', { name: 'curl and MQTT' }).waitFor()
  })
  afterAll(async () => {
    await guarded?.[Symbol.asyncDispose]()
    await world?.[Symbol.asyncDispose]()
    if (folder) await rm(folder, { recursive: true })
  })

  /** The shown piece of code that begins with a text, as soon as its keys are there. */
  async function readCode(language: string, start: string): Promise<string> {
    const { page } = guarded
    await page.getByRole('tab', { name: language }).click()
    await page.getByRole('tab', { name: language, selected: true }).waitFor()
    const code = page.getByRole('tabpanel').locator('pre').filter({ hasText: start }).first()
    await code.waitFor()
    return (await code.textContent())!
  }

  async function countValues(): Promise<number> {
    const { items } = await world.api('POST', '/v1/timeseries/get', {
      assetId: deviceId,
      timeseriesName: ['temperature'],
      searchSpanFrom: '2020-01-01T00:00:00Z',
      searchSpanTo: new Date(Date.now() + 60_000).toISOString(),
    })
    return items[0].items.length
  }

  async function expectValueOf(runProgram: () => Promise<unknown>) {
    const before = await countValues()
    await runProgram()
    await expect.poll(countValues).toBe(before + 1)
    await guarded.page.getByText('Values arrive').first().waitFor()
    expect(guarded.problems).toEqual([])
  }

  test.skipIf(!hasMosquitto)('mosquitto_pub', async () => {
    const code = await readCode('curl and MQTT', 'mosquitto_pub')
    await expectValueOf(() => run('sh', ['-c', code], { cwd: folder }))
  })

  test('TypeScript', async () => {
    await writeFile(join(folder, 'device.mjs'), await readCode('TypeScript', 'import '))
    await expectValueOf(() => run(process.execPath, ['device.mjs'], { cwd: folder }))
  })

  test.skipIf(!python)('Python', async () => {
    await writeFile(join(folder, 'device.py'), await readCode('Python', 'import '))
    await expectValueOf(() => run(python!, ['device.py'], { cwd: folder }))
  })

  test('a group beyond the first hundred is found by its address', async () => {
    const address = new URL(guarded.page.url())
    const groupId = address.searchParams.get('group')!
    const path = `/api/enrollment-groups/${groupId}`
    const { routing_target_id, response_template } = await world.api('GET', path)
    const group = { routing_target_id, response_template, key_policy: 'derived_only' }
    for (let index = 0; index < 100; index++)
      await world.api('POST', '/api/enrollment-groups', { ...group, name: `Group ${index}` })
    const { id } = await world.api('POST', '/api/enrollment-groups', { ...group, name: 'The last group' })
    await world.api('POST', `/api/enrollment-groups/${id}/keys/generate`)
    await world.api('POST', `/api/enrollment-groups/${id}/devices`, { device_id: 'device-0002' })
    await world.api('POST', '/provision_device', { device_id: 'device-0002', enrollment_group_id: id })
    await using another = await world.openSignedIn(`${flow}?step=code&group=${id}&device=device-0002`)
    await another.page
      .getByText(/device-0002/)
      .first()
      .waitFor()
    await another.page.getByRole('tab', { name: 'curl and MQTT' }).waitFor()
    await another.open(`${flow}?step=device&group=${id}&device=device-0002`)
    await another.page.getByText('The last group').first().waitFor()
    await another.open(`${flow}?step=device`)
    await another.page.getByText('Only the 100 oldest are listed here.').waitFor()
    await another.open(`${flow}?step=code&group=00000000-0000-7000-8000-000000000000&device=device-0002`)
    await another.page.getByRole('alert').getByText('not_found').waitFor()
    expect(another.problems).toEqual([])
  })
})
