import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { advance, deploy, makeTemplate, status } from '../../../test/harness/firmware.ts'
import { type SimulatedWorld, startSimulatedWorld } from '../../../test/harness/simulated.ts'
import { chooseOutcome } from './play-updates.ts'

let world: SimulatedWorld
beforeAll(async () => {
  world = await startSimulatedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const makeIds = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(4, '0')}`)

/** Its devices are connected. */
async function startFleet(count: number, firmware: object) {
  const { path, deviceIdPrefix } = await world.make({ count, firmware })
  await world.platform.post(`${path}/start`)
  await world.until(path, ({ progress }) => progress.connected === count)
  return { path, deviceIds: makeIds(deviceIdPrefix, count) }
}

interface Update {
  providerClientId: string
  status: string
}

const rollOut = async (fields: { deviceIds: string[]; deploymentTemplateId: string; rollout?: object }) => {
  const { body } = await deploy(world.platform, fields)
  const path = `/v1/firmware/deployments/${body.id}`
  const ended = await vi.waitFor(
    async () => {
      await advance(world.platform, body.id)
      const { body: now } = await world.platform.get(path)
      if (now.endedAt === null) throw new Error(`still ${JSON.stringify(now.counts)}`)
      return now
    },
    { interval: 100 },
  )
  const updates: Update[] = (await world.platform.get(`${path}/updates`)).body
  return { ended, findStatus: (id: string) => updates.find((one) => one.providerClientId === id)?.status }
}

test('simulated devices play a rollout: the first fail, the next go offline and come back, all others succeed', async () => {
  const deploymentTemplateId = await makeTemplate(world.platform)
  const firmware = {
    deploymentTemplateId,
    durationSeconds: 0,
    failurePercent: 20,
    offlinePercent: 10,
    offlineSeconds: 1,
  }
  const { path, deviceIds } = await startFleet(10, firmware)
  expect((await world.platform.get(path)).body.firmware).toEqual(firmware)
  const { ended, findStatus } = await rollOut({ deviceIds, deploymentTemplateId })
  expect(ended.counts).toMatchObject({ Succeeded: 8, Failed: 2 })
  expect(deviceIds.slice(0, 3).map(findStatus)).toEqual(['Failed', 'Failed', 'Succeeded'])
  const left = (await world.platform.get(`/v1/providers/mqtt/clients/${deviceIds[2]}`)).body.connection
  expect(left.disconnectReason).toBe('connection_lost')
})

test('too many failures stop the rollout, as they would on real devices', async () => {
  const deploymentTemplateId = await makeTemplate(world.platform)
  const { deviceIds } = await startFleet(4, { deploymentTemplateId, durationSeconds: 0, failurePercent: 100 })
  const rollout = { waves: [25, 100], failureThresholdPercent: 10 }
  const { ended } = await rollOut({ deviceIds, deploymentTemplateId, rollout })
  expect(ended).toMatchObject({ status: 'Stopped', counts: { Failed: 1 } })
})

test('the steps, the property and the values of the template are used, step by step', async () => {
  const statusMap = {
    ...status.statusMap,
    successStatuses: [{ value: { code: 1 } }],
    failureStatuses: [{ value: 9 }],
  }
  const deploymentTemplateId = await makeTemplate(world.platform, {
    steps: ['bootloader', 'application'].map((name) => ({
      name,
      displayName: name,
      type: 'SetProperty',
      value: { release: '{{releaseName}}' },
    })),
    status: { ...status, statusPropertyName: 'update', statusMap },
  })
  const firmware = { deploymentTemplateId, durationSeconds: 0, failurePercent: 50 }
  const { deviceIds } = await startFleet(2, firmware)
  const { findStatus } = await rollOut({ deviceIds, deploymentTemplateId })
  expect(deviceIds.map(findStatus)).toEqual(['Failed', 'Succeeded'])
})

test.each([
  ['shares of more than all', { failurePercent: 60, offlinePercent: 60 }, 400],
  ['a negative share', { failurePercent: -1 }, 400],
  ['an unknown field', { successPercent: 10 }, 400],
  ['an unknown template', { deploymentTemplateId: crypto.randomUUID() }, 404],
])('refuses %s', async (_what, fields, expected) => {
  const deploymentTemplateId = await makeTemplate(world.platform)
  const answer = await world.platform.post('/v1/simulations', {
    displayName: 'S',
    organizationId: world.platform.organizationId,
    providerId: 'mqtt',
    count: 1,
    signals: [{ name: 'level', generator: 'constant', value: 7 }],
    intervalSeconds: 1,
    firmware: { deploymentTemplateId, ...fields },
  })
  expect(answer.status).toBe(expected)
})

test('the shares are exact', () => {
  const rules = { failurePercent: 10, offlinePercent: 5 } as Parameters<typeof chooseOutcome>[2]
  const outcomes = Array.from({ length: 200 }, (_, place) => chooseOutcome(place, 200, rules))
  expect(outcomes.filter((outcome) => outcome === 'failure')).toHaveLength(20)
  expect(outcomes.filter((outcome) => outcome === 'offline')).toHaveLength(10)
})
