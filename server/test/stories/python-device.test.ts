/** Runs the example device in Python against a server that is killed meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findPythonWithPaho, root } from '../harness/example-programs.ts'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'

const python = findPythonWithPaho()
if (!python) console.log('Skipped: the example device in Python (python3 with paho-mqtt is not installed)')

const response_template = {
  host: '{{target.host}}',
  port: '{{target.port}}',
  tls: true,
  primary: '{{device.primary_key}}',
  secondary: '{{device.secondary_key}}',
}
const client = '/v1/providers/mqtt/clients/pump-7'

test.skipIf(!python)(
  'the example device in Python loses no value when its keys are rotated and the server is killed',
  async () => {
    await using server = await startServerProcess()
    const { http, mqtts } = server.endpoints
    const token = await logIn(apiAt(http), 'admin@example.com', adminPassword)
    const api: Api = (method, path, body, options) => apiAt(http)(method, path, body, { token, ...options })
    const { onboard, groupId, bootstrapKey } = await prepareOnboarding(api, token, http, urlPort(mqtts))
    await onboard('pump-7')
    await api('PUT', `/api/enrollment-groups/${groupId}`, { response_template })

    await using device = await startDevice({
      ONBOARDING_URL: http,
      DEVICE_ID: 'pump-7',
      BOOTSTRAP_KEY: bootstrapKey,
      CA_FILE: join(server.dataDir, 'tls', 'ca.crt'),
    })
    await api('PUT', `${client}/properties/desired`, { intervalSeconds: 0.1 })
    await expect.poll(() => reported(api)).toMatchObject({ intervalSeconds: 0.1 })
    const answer = await api('POST', `${client}/methods`, { method: 'identify', payload: null })
    expect(answer).toMatchObject({ status: 200, body: { status: 200, payload: { blinking: true } } })
    expect(await api('POST', `${client}/methods`, { method: 'explode' })).toMatchObject({
      body: { status: 404, payload: { error: 'method_not_found' } },
    })

    // After two rotations neither key of the device is valid, and it requests its settings again.
    await api('POST', `${client}/credentials/rotate`)
    await api('POST', `${client}/credentials/rotate`)
    await expect.poll(() => device.connections()).toBe(2)

    // Messages to a server that is stopped and then killed were sent and never acknowledged.
    process.kill(server.pid(), 'SIGSTOP')
    await sleep(500)
    await server.kill('SIGKILL')
    await server.start()
    await expect.poll(() => device.connections()).toBe(3)
    await api('PUT', `${client}/properties/desired`, { intervalSeconds: 'often' })
    await expect
      .poll(() => reported(api))
      .toMatchObject({
        intervalSeconds: 0.1,
        problem: 'intervalSeconds must be 0.1 to 3600',
      })
    expect(await device.stop()).toBe(0)

    const counts = await storedCounts(api)
    expect(counts.length).toBeGreaterThan(20)
    expect(counts).toEqual(counts.map((_count, index) => index + 1))
    expect(device.output()).not.toMatch(/ERROR|Traceback/)
  },
)

const urlPort = (url: string) => Number(new URL(url).port)
const reported = async (api: Api) => (await api('GET', `${client}/properties/reported`)).body

async function startDevice(environment: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-python-'))
  const child: ChildProcess = spawn(python!, [join(root, 'docs/examples/python/device.py')], {
    cwd: folder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    return (await exited)[0] as number | null
  }
  return {
    output: () => output,
    connections: () => output.match(/INFO connected/g)?.length ?? 0,
    stop,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

/** In the order of their times. */
async function storedCounts(api: Api): Promise<number[]> {
  const { body } = await api('POST', '/v1/timeseries/get', {
    assetId: 'pump-7',
    timeseriesName: ['count'],
    searchSpanFrom: '2020-01-01T00:00:00.000Z',
    searchSpanTo: '2100-01-01T00:00:00.000Z',
  })
  return body.items[0].items.map(({ value }: { value: number }) => value)
}
