import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAssets } from './harness/assets.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { makeDevices } from './harness/fixtures.mjs'

const run = promisify(execFile)
/** Inside the repository, where a script finds the client package. */
const root = fileURLToPath(new URL('../', import.meta.url))

describe.skipIf(!hasBrowser())('as curl and as TypeScript', () => {
  let world: TestConsole
  let token: string
  beforeAll(async () => {
    world = await startConsole()
    await makeDevices(world.api, { count: 3 })
    await makeAssets(world.api)
    token = (await world.api('POST', '/v1/api-tokens', { displayName: 'scripts' })).token
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const runShell = (code: string) =>
    run('sh', ['-ec', code], { env: { PATH: process.env.PATH, TOKEN: token } })
  async function runScript(code: string) {
    const directory = await mkdtemp(join(root, '.script-'))
    try {
      await writeFile(join(directory, 'script.mjs'), code)
      const env = { PATH: process.env.PATH, TOKEN: token }
      return await run(process.execPath, [join(directory, 'script.mjs')], { env })
    } finally {
      await rm(directory, { recursive: true })
    }
  }

  async function readExample(page: Page, kind: 'curl' | 'TypeScript') {
    await page.getByRole('button', { name: 'As code' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(kind, { exact: true }).first().click()
    const shown = dialog.locator('pre')
    await expect.poll(() => shown.textContent()).toMatch(kind === 'curl' ? /^curl/ : /^import/)
    const code = (await shown.textContent())!
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    return code
  }

  test('each tab of a device shows its own requests, and they work', async () => {
    await using guarded = await world.openSignedIn('/devices/plant/pump-0000')
    const { page } = guarded
    const shown: string[] = []
    for (const tab of ['live', 'twin', 'messages', 'connections', 'bindings', 'firmware']) {
      await guarded.open(`/devices/plant/pump-0000?tab=${tab}`)
      shown.push(await readExample(page, 'curl'))
    }
    expect(new Set(shown).size).toBe(shown.length)
    for (const code of shown)
      expect((await runShell(code.replaceAll('curl ', 'curl -sS --fail '))).stdout).toMatch(/^[[{]/)
    expect(guarded.problems).toEqual([])
  })

  test('each tab of an asset shows its own requests, and they work as a script', async () => {
    await using guarded = await world.openSignedIn('/assets/pump-7')
    const { page } = guarded
    const shown: string[] = []
    for (const tab of ['signals', 'dashboards', 'properties', 'alarms', 'bindings']) {
      await guarded.open(`/assets/pump-7?tab=${tab}`)
      if (tab === 'signals') await page.getByText('temperature').first().waitFor()
      shown.push(await readExample(page, 'TypeScript'))
    }
    expect(new Set(shown).size).toBe(shown.length)
    for (const code of shown) expect((await runScript(code)).stdout).toContain("id: 'pump-7'")
    expect(shown[0]).toContain('/v1/timeseries/get/last')
    expect(guarded.problems).toEqual([])
  })

  test('the list of objects of Access works in a script and in a shell', async () => {
    await using guarded = await world.openSignedIn('/access?type=asset&search=pump-7')
    const { page } = guarded
    const script = await readExample(page, 'TypeScript')
    expect((await runScript(script)).stdout).toContain("id: 'pump-7'")
    await guarded.open('/access?type=tenant')
    const command = await readExample(page, 'curl')
    expect((await runShell(command.replace('curl ', 'curl -sS --fail '))).stdout).toContain(
      '"resourceType":"tenant"',
    )
    expect(guarded.problems).toEqual([])
  })
})
