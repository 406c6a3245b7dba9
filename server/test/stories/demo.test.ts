/** `npm run demo` against a running server: the whole flow for a small fleet, then the query that shows it. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const run = promisify(execFile)
const demoFile = fileURLToPath(new URL('../../../demo/dist/main.js', import.meta.url))

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess()
})
afterAll(() => server[Symbol.asyncDispose]())

test('the demo creates a fleet, sends its data, and can be run again', async () => {
  const demo = (...args: string[]) =>
    run(
      process.execPath,
      [demoFile, '--url', server.endpoints.http, '--seconds', '1', '--interval', '0.2', ...args],
      {
        env: { PATH: process.env.PATH, GANGWAY_ADMIN_PASSWORD: adminPassword },
      },
    )
  for (const devices of ['5', '7']) {
    const { stdout, stderr } = await demo('--devices', devices)
    expect(stderr).toBe('')
    expect(stdout).toContain(`${devices}/${devices}`)
    expect(stdout).toMatch(/"timeseriesName":"temperature","timeseriesType":"telemetry","value":[\d.]+/)
    expect(Number(/(\d+) messages acknowledged/.exec(stdout)![1])).toBeGreaterThan(Number(devices))
  }
  await expect(demo('--password', 'wrong password')).rejects.toThrow('The email or the password is wrong.')
  await expect(demo('--devices', 'many')).rejects.toThrow('--devices must be 1 to 10000')
})

test('with --simulate the platform simulates the pumps, also repeatedly and in different numbers', async () => {
  const demo = (...args: string[]) =>
    run(
      process.execPath,
      [demoFile, '--simulate', '--url', server.endpoints.http, '--seconds', '0', ...args],
      {
        env: { PATH: process.env.PATH, GANGWAY_ADMIN_PASSWORD: adminPassword },
      },
    )
  for (const devices of ['3', '3', '2']) {
    const { stdout, stderr } = await demo('--devices', devices, '--interval', '1')
    expect(stderr).toBe('')
    expect(stdout).toContain(`${devices}/${devices}`)
    expect(stdout).toMatch(/"timeseriesName":"temperature","timeseriesType":"telemetry","value":[\d.]+/)
    expect(stdout).toContain('/v1/alarms/status/entity/sim-')
    expect(Number(/(\d+) messages acknowledged/.exec(stdout)![1])).toBeGreaterThan(0)
  }
  await expect(demo('--devices', '1001')).rejects.toThrow('--devices must be 1 to 1000')
})
