/**
 * Firmware for sixty devices over real MQTT, each with the agent of the device SDK: in waves, through a server that is
 * killed; then a release that one variant of the hardware does not take, which stops and goes back.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connect } from '../../../device/src/connect.ts'
import { createFirmwareAgent } from '../../../device/src/firmware-agent.ts'
import { status, step } from '../harness/firmware.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const DEVICES = 60

test('a rollout survives kill -9, stops at failures, and goes back', { timeout: 90_000 }, async () => {
  await using server = await startServerProcess()
  const call = await signedIn(server)
  const directory = await mkdtemp(join(tmpdir(), 'gangway-fleet-'))
  const fleet = await startFleet(server, call, directory)
  try {
    const good = await call('POST', '/v1/firmware/deployments', await fleet.deploymentOf('1.0'))
    await until(call, good.id, ({ wave }) => wave >= 2)
    await server.kill('SIGKILL')
    await server.start()
    const done = await until(call, good.id, (deployment) => deployment.endedAt !== null)
    expect(done).toMatchObject({ status: 'Completed', counts: { Succeeded: DEVICES, Failed: 0 } })
    expect(new Set(fleet.installed.values())).toEqual(new Set(['content of 1.0']))
    expect(fleet.installed.size).toBe(DEVICES)

    const rollout = { waves: [5, 25, 100], failureThresholdPercent: 5, rollback: true }
    const bad = await call('POST', '/v1/firmware/deployments', {
      ...(await fleet.deploymentOf('2.0')),
      rollout,
    })
    const stopped = await until(call, bad.id, (deployment) => deployment.endedAt !== null)
    expect(stopped.status).toBe('Stopped')
    // The third wave never began.
    expect(stopped.waves[2]).toMatchObject({ Ready: 0, Running: 0, Cancelled: 45 })
    const started = DEVICES - stopped.waves.reduce((sum, wave) => sum + wave.Cancelled, 0)
    expect(stopped.rollbacks.Succeeded).toBeGreaterThanOrEqual(started)
    expect(stopped.rollbacks).toMatchObject({ Failed: 0, Rejected: 0, Running: 0 })
    expect(new Set(fleet.installed.values())).toEqual(new Set(['content of 1.0']))

    const third = await call('POST', '/v1/firmware/deployments', {
      ...(await fleet.deploymentOf('3.0')),
      rollout: { waves: [50, 100] },
    })
    await call('POST', `/v1/firmware/deployments/${third.id}/cancel`)
    const cancelled = await until(call, third.id, (deployment) => deployment.endedAt !== null)
    expect(cancelled.status).toBe('Cancelled')
    expect(cancelled.counts.Cancelled).toBeGreaterThanOrEqual(DEVICES / 2)
  } finally {
    await fleet.stop()
    await rm(directory, { recursive: true })
  }
})

interface Deployment {
  id: string
  status: string
  wave: number
  endedAt: string | null
  counts: Record<string, number>
  rollbacks: Record<string, number>
  waves: { Cancelled: number }[]
}

type Call = (method: string, path: string, body?: unknown) => Promise<Deployment & Record<string, string>>

async function signedIn({ endpoints }: ServerProcess): Promise<Call> {
  const api = apiAt(endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  return async (method, path, body) => {
    const answer = await api(method, path, body, { token })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

async function until(call: Call, id: string, isSo: (deployment: Deployment) => boolean): Promise<Deployment> {
  for (const end = Date.now() + 40_000; ; await sleep(50)) {
    const deployment = await call('GET', `/v1/firmware/deployments/${id}`)
    if (isSo(deployment)) return deployment
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(deployment)}`)
  }
}

/** Every second device is of the variant that does not take 2.0. */
async function startFleet({ endpoints }: ServerProcess, call: Call, directory: string) {
  const [organization] = (await call('GET', '/v1/organizations')) as unknown as { id: string }[]
  const here = { displayName: 'Fleet', organizationId: organization!.id }
  const { templateId } = await call('POST', '/v1/firmware/deployment-templates', {
    ...here,
    steps: [step],
    status,
  })
  const { hostname, port } = new URL(endpoints.mqtt)
  const installed = new Map<string, string>()
  const deviceIds = Array.from({ length: DEVICES }, (_, index) => `pump-${index}`)
  const devices = await Promise.all(
    deviceIds.map(async (deviceId, index) => {
      const at = '/v1/providers/mqtt/clients'
      await call('POST', at, { ...here, id: deviceId })
      const { primaryKey } = await call('GET', `${at}/${deviceId}/credentials`)
      const device = connect({ host: hostname, port: Number(port), deviceId, primaryKey })
      const agent = createFirmwareAgent(device, {
        directory: join(directory, deviceId),
        install: async ({ path, order }) => {
          if (order.release === '2.0' && index % 2 === 0)
            throw new Error('this variant has another boot loader')
          installed.set(deviceId, await readFile(path, 'utf8'))
        },
      })
      device.onDesired(agent.onDesired)
      // The server is killed.
      device.on('error', () => {})
      return { device, agent }
    }),
  )
  for (const { device } of devices)
    if (!device.isConnected)
      await new Promise<void>((resolve) => void device.on('connected', () => resolve()))
  return {
    installed,
    deploymentOf: async (release: string) => {
      const form = new FormData()
      form.append('organizationId', here.organizationId)
      form.append('file', new Blob([`content of ${release}`]), 'pump.bin')
      const file = await call('POST', '/v1/firmware/files', form)
      const made = await call('POST', '/v1/firmware/releases', {
        ...here,
        displayName: release,
        fileResourceId: file.id,
      })
      const rollout = { waves: [5, 25, 100] }
      return { ...here, deploymentTemplateId: templateId, releaseId: made.id, deviceIds, rollout }
    },
    stop: async () => {
      await Promise.all(
        devices.map(async ({ device, agent }) => {
          await agent.close()
          await device.close({ timeoutMs: 100 })
        }),
      )
    },
  }
}
