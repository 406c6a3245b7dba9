// The firmware and the simulation in the screenshots of the guide: one rollout is completed, one has stopped because
// devices failed, and one is in its second wave.
import { until } from './fixtures.mjs'

const clients = '/v1/providers/plant/clients'
const VALVES = 16

const template = {
  displayName: 'By URL',
  version: '1',
  steps: [
    {
      name: 'firmware',
      displayName: 'Download and install',
      type: 'SetProperty',
      value: { url: '{{fileUrl}}', sha256: '{{fileSha256}}', channel: '{{channel}}' },
    },
  ],
  status: {
    statusType: 'ReportedProperty',
    statusPropertyName: 'firmwareStatus',
    statusMap: {
      successStatuses: [{ value: 'Installed' }],
      failureStatuses: [{ value: 'Failed' }],
      rejectStatuses: [{ value: 'Refused' }],
      cancelStatuses: [],
    },
  },
}

/** Call it when the provider `plant` is there. */
export async function makeRollouts(api) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const valves = Array.from({ length: VALVES }, (_, index) => `valve-${String(index + 1).padStart(2, '0')}`)
  for (const id of valves)
    await api('POST', clients, { id, displayName: `Inlet valve ${Number(id.slice(6))}` })
  const body = { ...template, organizationId }
  const { templateId: deploymentTemplateId } = await api('POST', '/v1/firmware/deployment-templates', body)
  const deploy = async (release, deviceIds, rollout) => {
    const releaseId = await makeRelease(api, organizationId, release)
    const displayName = `Valves to ${release}`
    const deployment = { displayName, organizationId, releaseId, deploymentTemplateId, deviceIds }
    return (await api('POST', '/v1/firmware/deployments', { ...deployment, ...(rollout && { rollout }) })).id
  }
  const first = await deploy('2.0.0', valves)
  await report(api, first, () => 'Installed')
  await untilStatus(api, first, 'Completed')
  const stopped = await deploy('2.1.0', valves.slice(0, 8), { waves: [50, 100], failureThresholdPercent: 20 })
  await report(api, stopped, (index) => (index < 2 ? 'Failed' : 'Installed'))
  await untilStatus(api, stopped, 'Stopped')
  const rollout = { waves: [25, 50, 100], failureThresholdPercent: 40 }
  const running = await deploy('2.1.1', valves.slice(4), rollout)
  await report(api, running, (index) => (index === 0 ? 'Failed' : 'Installed'))
  const isInSecondWave = ({ status, wave }) => status === 'Running' && wave === 2
  await until(async () => (await listUpdates(api, running)).some(isInSecondWave))
  const [next] = (await listUpdates(api, running)).filter(isInSecondWave)
  for (const firmwareStatus of ['Downloading', 'Installed'])
    await api('POST', `${clients}/${next.providerClientId}/reported`, { firmwareStatus })
  return { running, stopped }
}

async function makeRelease(api, organizationId, displayName) {
  const form = new FormData()
  form.append('organizationId', organizationId)
  form.append('file', new Blob([`valve firmware ${displayName}\n`.repeat(5000)]), `valve-${displayName}.bin`)
  const { id: fileResourceId } = await api('POST', '/v1/firmware/files', form)
  const release = {
    displayName,
    organizationId,
    fileResourceId,
    fileName: 'valve.bin',
    propertyValues: [{ key: 'channel', value: 'stable' }],
  }
  return (await api('POST', '/v1/firmware/releases', release)).id
}

const listUpdates = (api, deploymentId) =>
  api('GET', `/v1/firmware/deployments/${deploymentId}/updates?limit=100`)

/** Lets the devices of the first wave report what `choose` says of each. */
async function report(api, deploymentId, choose) {
  const listRunning = async () =>
    (await listUpdates(api, deploymentId)).filter(({ status }) => status === 'Running')
  await until(async () => (await listRunning()).length > 0)
  const updates = (await listUpdates(api, deploymentId)).filter(({ wave }) => wave === 1)
  await until(async () => (await listRunning()).length === updates.length)
  for (const [index, { providerClientId }] of updates.entries()) {
    await api('POST', `${clients}/${providerClientId}/reported`, { firmwareStatus: 'Downloading' })
    await api('POST', `${clients}/${providerClientId}/reported`, { firmwareStatus: choose(index) })
  }
}

const untilStatus = (api, deploymentId, status) =>
  until(async () => (await api('GET', `/v1/firmware/deployments/${deploymentId}`)).status === status)

/** Five simulated devices, of which one is offline. */
export async function startSimulation(api) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const { id } = await api('POST', '/v1/simulations', {
    displayName: 'Five dosing pumps',
    organizationId,
    providerId: 'mqtt',
    deviceIdPrefix: 'dosing-',
    count: 5,
    intervalSeconds: 2,
    signals: [
      { name: 'flow', generator: 'sine', amplitude: 3, offset: 12, periodSeconds: 120, noise: 0.2 },
      { name: 'running', generator: 'constant', value: true },
    ],
  })
  await api('POST', `/v1/simulations/${id}/start`)
  const read = () => api('GET', `/v1/simulations/${id}`)
  await until(async () => (await read()).progress.acknowledged > 0)
  await api('POST', `/v1/simulations/${id}/faults`, {
    kind: 'offline',
    deviceIds: ['dosing-0003'],
    durationSeconds: 3600,
  })
}
