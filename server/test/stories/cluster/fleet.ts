/**
 * A fleet of devices: each is bound to an asset with an alarm that sends a mail, and gets a release in waves. Simulated devices
 * work beside them.
 */
import { listDeviceIds } from '../../../src/simulations/device-ids.ts'
import type { Cluster } from '../../harness/cluster.ts'
import { status } from '../../harness/firmware.ts'
import type { Choose } from './fault-world.ts'
import { COMMAND, type FleetDevice, startFleetDevice } from './fleet-device.ts'

export interface Fleet extends AsyncDisposable {
  devices: FleetDevice[]
  simulated: string[]
  simulationPath: string
  /** Begins to install a release, in waves. @returns the path of the deployment */
  deploy(): Promise<string>
}

const model = 'dtmi:com:example:Counter;1'

/** The alarm is open while the last number is in the second half of its score. */
const SCORE = 40
export const isHigh = (number: number): boolean => number % SCORE >= SCORE / 2
const condition = JSON.stringify({ '>=': [{ '%': [{ var: 'number' }, SCORE] }, SCORE / 2] })

export const HIGH = 'High'
/** No fault keeps devices from sending for this long. */
export const SILENT = { name: 'Silent', noDataSeconds: 240 }

export const assetOf = (deviceId: string): string => `asset-of-${deviceId}`
const LANES = 8
const SIMULATED = 3
const PREFIX = 'simulated-'

export async function startFleet(cluster: Cluster, count: number, choose: Choose): Promise<Fleet> {
  const organizationId: string = (await cluster.call(0, 'GET', '/v1/organizations')).body[0].id
  await makeAlarms(cluster, organizationId)
  const simulationPath = await simulate(cluster, organizationId)
  const starting = Array.from({ length: count }, (_, index) => ({
    id: `device-${index}`,
    first: choose(cluster.nodes.length),
  }))
  const devices: FleetDevice[] = []
  const lane = async () => {
    for (let next = starting.shift(); next; next = starting.shift()) {
      const key = await makeBoundDevice(cluster, organizationId, next.id)
      devices.push(await startFleetDevice(cluster, { ...next, key }))
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return {
    devices,
    simulated: listDeviceIds({ device_id_prefix: PREFIX, device_count: SIMULATED }),
    simulationPath,
    deploy: () => deploy(cluster, organizationId, devices),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(devices.map((device) => device[Symbol.asyncDispose]()))
    },
  }
}

async function makeAlarms(cluster: Cluster, organizationId: string): Promise<void> {
  const definition = {
    '@context': 'dtmi:dtdl:context;3',
    '@id': model,
    '@type': 'Interface',
    contents: [
      { '@type': 'Telemetry', name: 'number', schema: 'double' },
      { '@type': 'Command', name: COMMAND, request: { name: 'number', schema: 'integer' } },
    ],
  }
  await cluster.call(0, 'POST', '/v1/models', { organizationId, definition })
  const high = await cluster.call(0, 'POST', '/v1/alarms', { name: HIGH, entityTypeId: model, condition })
  await cluster.call(0, 'POST', '/v1/alarms', { ...SILENT, entityTypeId: model })
  await cluster.call(0, 'POST', '/v1/notifications', {
    displayName: 'Write to the administrator',
    trigger: { alarmTrigger: [high.body.id] },
    broadcast: true,
    organizationId,
    channels: {
      email: {
        active: true,
        from: 'gangway@example.com',
        subject: '{{assetName}} is high',
        template: '{{value}}',
      },
      sms: { active: false, template: '', from: '' },
    },
  })
}

async function simulate(cluster: Cluster, organizationId: string): Promise<string> {
  const { body } = await cluster.call(0, 'POST', '/v1/simulations', {
    displayName: 'Beside the fleet',
    organizationId,
    providerId: 'mqtt',
    deviceIdPrefix: PREFIX,
    count: SIMULATED,
    intervalSeconds: 1,
    signals: [{ name: 'level', generator: 'constant', value: 7 }],
  })
  const path = `/v1/simulations/${body.id}`
  await cluster.call(0, 'POST', `${path}/start`)
  return path
}

/** @returns its key */
async function makeBoundDevice(cluster: Cluster, organizationId: string, id: string): Promise<string> {
  const key = await cluster.makeDevice(id)
  const asset = assetOf(id)
  await cluster.call(0, 'POST', '/v1/assets', {
    id: asset,
    modelId: model,
    displayName: asset,
    organizationId,
  })
  const endpointBindings = ['telemetry/number', `command/${COMMAND}`].map((endpoint) => ({
    localEndpointId: `${asset}/-/${endpoint}`,
    remoteEndpointIds: [{ name: 'value', endpointId: `${id}/-/${endpoint}` }],
  }))
  await cluster.call(0, 'POST', `/v1/assets/${asset}/bind`, { endpointBindings })
  return key
}

async function deploy(cluster: Cluster, organizationId: string, devices: FleetDevice[]): Promise<string> {
  const here = { displayName: 'Next', organizationId }
  const post = async (path: string, body: object) => (await cluster.call(0, 'POST', path, body)).body
  const steps = [{ name: 'firmware', type: 'SetProperty', value: { release: '{{releaseName}}' } }]
  const { templateId } = await post('/v1/firmware/deployment-templates', { ...here, steps, status })
  const { id: releaseId } = await post('/v1/firmware/releases', here)
  const { id } = await post('/v1/firmware/deployments', {
    ...here,
    releaseId,
    deploymentTemplateId: templateId,
    deviceIds: devices.map((device) => device.id),
    rollout: { waves: [10, 50, 100] },
  })
  return `/v1/firmware/deployments/${id}`
}
