/**
 * Firmware for a fleet over real MQTT, each device with the agent of the device SDK: in waves, while the server is
 * killed; then a release that one variant of the hardware rejects, which stops and is rolled back; then one that is
 * cancelled halfway. From the second release on, another tenant has the same ids everywhere, of which nothing changes.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../device/src/connect.ts'
import { createFirmwareAgent } from '../../../device/src/firmware-agent.ts'
import { platformDatabase, type TestDatabase } from '../harness/database.ts'
import { status, step } from '../harness/firmware.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { rounds } from '../harness/rounds.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { homeAt, makeTwin, readTenant } from '../harness/twin-tenant.ts'

const DEVICES = rounds(200, 40)
/** Percentages of the waves, and the number of devices in each. */
const waves = [5, 25, 100]
const [first, second, third] = [DEVICES * 0.05, DEVICES * 0.2, DEVICES * 0.75] as const

let database: TestDatabase
let server: ServerProcess
let api: Api
let call: Call
let directory: string
let fleet: Awaited<ReturnType<typeof startFleet>>
/** The rows of the other tenant. */
let twin: Awaited<ReturnType<typeof readTenant>>
beforeAll(async () => {
  database = await platformDatabase()
  server = await startServerProcess({ DATABASE_URL: database.url })
  api = apiAt(server.endpoints.http)
  call = await signedIn()
  directory = await mkdtemp(join(tmpdir(), 'gangway-fleet-'))
  fleet = await startFleet()
})
afterAll(async () => {
  await fleet?.stop()
  await rm(directory, { recursive: true })
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('a rollout continues after the server was killed in the middle of the last wave', async () => {
  const installedBefore = first + second + 10
  fleet.gate.closeAfter(installedBefore)
  const { id } = await deploy('1.0', { waves })
  const { wave } = await until(id, ({ counts }) => counts.Succeeded === installedBefore)
  expect(wave).toBe(3)
  await server.kill('SIGKILL')
  // Devices report during the restart, and these reports count.
  fleet.gate.open()
  await server.start()
  const done = await until(id, ({ endedAt }) => endedAt !== null)
  expect(done).toMatchObject({ status: 'Completed', counts: { Succeeded: DEVICES, Failed: 0 } })
  expect(done.waves.map(({ Succeeded }) => Succeeded)).toEqual([first, second, third])
  expect(fleet.running('1.0')).toBe(DEVICES)
})

test('failures of one variant stop the rollout, and updated devices return to the previous release', async () => {
  await makeTwin(homeAt(api, database.db), 'twin')
  twin = await readTenant(database.db, 'twin')
  const { id } = await deploy('2.0', { waves, failureThresholdPercent: 5, rollback: true })
  const stopped = await until(id, ({ endedAt }) => endedAt !== null)
  expect(stopped.status).toBe('Stopped')
  // The third wave did not begin.
  expect(stopped.waves[2]).toMatchObject({ Ready: 0, Running: 0, Cancelled: third })
  const ended = stopped.counts.Succeeded! + stopped.counts.Failed!
  expect(stopped.rollbacks.Succeeded).toBeGreaterThanOrEqual(ended)
  expect(stopped.rollbacks).toMatchObject({ Failed: 0, Rejected: 0, Running: 0 })
  expect(fleet.running('1.0')).toBe(DEVICES)
})

test('a cancelled rollout keeps completed updates, and reverts the rest', async () => {
  const installedBefore = DEVICES * 0.2
  fleet.gate.closeAfter(installedBefore)
  const { id } = await deploy('3.0', { waves: [50, 100] })
  await until(id, ({ counts }) => counts.Succeeded === installedBefore)
  await call('POST', `/v1/firmware/deployments/${id}/cancel`)
  const cancelled = await until(id, ({ endedAt }) => endedAt !== null)
  const others = DEVICES - installedBefore
  expect(cancelled).toMatchObject({
    status: 'Cancelled',
    counts: { Succeeded: installedBefore, Cancelled: others, Failed: 0 },
  })
  // Devices with a running update keep their previous release.
  fleet.gate.open()
  await expect.poll(() => fleet.running('1.0')).toBe(others)
  expect(fleet.running('3.0')).toBe(installedBefore)
  expect(await readTenant(database.db, 'twin')).toEqual(twin)
})

interface Deployment {
  id: string
  status: string
  wave: number
  endedAt: string | null
  counts: Record<string, number>
  rollbacks: Record<string, number>
  waves: Record<string, number>[]
}

type Call = (method: string, path: string, body?: unknown) => Promise<Deployment & Record<string, string>>

async function signedIn(): Promise<Call> {
  const token = await logIn(api, 'admin@example.com', adminPassword)
  return async (method, path, body) => {
    const answer = await api(method, path, body, { token })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

async function until(id: string, isSo: (deployment: Deployment) => boolean): Promise<Deployment> {
  for (; ; await sleep(50)) {
    const deployment = await call('GET', `/v1/firmware/deployments/${id}`)
    if (isSo(deployment)) return deployment
    // A deployment that ended with another status does not change any more.
    if (deployment.endedAt !== null) throw new Error(`ended as ${JSON.stringify(deployment)}`)
  }
}

/** Deploys a new release with a new file to the whole fleet. */
async function deploy(release: string, rollout: object): Promise<Deployment> {
  const { here, deviceIds, templateId } = fleet
  const form = new FormData()
  form.append('organizationId', here.organizationId)
  form.append('file', new Blob([`content of ${release}`]), 'pump.bin')
  const file = await call('POST', '/v1/firmware/files', form)
  const named = { ...here, displayName: release }
  const made = await call('POST', '/v1/firmware/releases', { ...named, fileResourceId: file.id })
  const parts = { deploymentTemplateId: templateId, releaseId: made.id, deviceIds, rollout }
  return call('POST', '/v1/firmware/deployments', { ...named, ...parts })
}

/** Every second device is of the variant that rejects 2.0. */
async function startFleet() {
  const [organization] = (await call('GET', '/v1/organizations')) as unknown as { id: string }[]
  const here = { displayName: 'Fleet', organizationId: organization!.id }
  const template = { ...here, steps: [step], status }
  const { templateId } = await call('POST', '/v1/firmware/deployment-templates', template)
  const { hostname, port } = new URL(server.endpoints.mqtt)
  const installed = new Map<string, string>()
  const gate = createGate()
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
          await gate.pass()
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
    here,
    templateId,
    deviceIds,
    gate,
    /** Number of devices that run that release. */
    running: (release: string) =>
      [...installed.values()].filter((content) => content === `content of ${release}`).length,
    stop: async () => {
      gate.open()
      for (const { agent } of devices) await agent.close()
      await Promise.all(devices.map(({ device }) => device.close({ timeoutMs: 100 })))
    },
  }
}

/** Delays installations, so that the test can act in the middle. */
function createGate() {
  let left = Infinity
  let opened = Promise.resolve()
  let open = () => {}
  return {
    pass: async () => {
      if (left-- <= 0) await opened
    },
    closeAfter(count: number) {
      left = count
      opened = new Promise((resolve) => (open = resolve))
    },
    open() {
      left = Infinity
      open()
    },
  }
}
