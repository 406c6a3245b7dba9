/** Lets the platform simulate pumps: a model, a simulation with an asset for each device, and an alarm that becomes active. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from './platform.ts'
import { showLatest } from './show-latest.ts'

const MODEL = 'dtmi:gangway:demo:Pump;1'
const NAME = 'Demo pumps'
const TOO_HOT = 70

export interface SimulatedFleet extends AsyncDisposable {
  whatToLookAt(): Promise<string>
  acknowledged(): Promise<number>
}

interface Simulation {
  id: string
  displayName: string
  count: number
  intervalSeconds: number
  deviceIdPrefix: string
  state: string
  progress: { connected: number; acknowledged: number; lastError: string | null }
}

interface Options {
  devices: number
  intervalSeconds: number
  onProgress: (done: number) => void
}

/** A second run reuses the simulation. It is stopped at the end; its devices and assets remain. */
export async function simulateFleet(platform: Platform, options: Options): Promise<SimulatedFleet> {
  const { call } = platform
  const organizationId = await getOrganizationId(platform)
  await ensureModel(platform, organizationId)
  const alarmId = await ensureAlarm(platform, organizationId)
  const { id, deviceIdPrefix } = await ensureSimulation(platform, organizationId, options)
  const path = `/v1/simulations/${id}`
  const look = () => call<Simulation>('GET', path)
  await call('POST', `${path}/start`)
  const first = `${deviceIdPrefix}0001`
  await untilAllConnected(look, options)
  return {
    whatToLookAt: () => whatToLookAt(platform, first, alarmId),
    acknowledged: async () => (await look()).progress.acknowledged,
    [Symbol.asyncDispose]: async () => {
      await call('POST', `${path}/stop`)
    },
  }
}

async function getOrganizationId({ call }: Platform): Promise<string> {
  const { organizationId } = await call<{ organizationId: string }>('GET', '/v1/providers/mqtt')
  return organizationId
}

async function ensureModel({ call }: Platform, organizationId: string) {
  const models = await call<{ id: string }[]>('GET', '/v1/models')
  if (models.some(({ id }) => id === MODEL)) return
  const telemetry = (name: string, schema: string) => ({ '@type': 'Telemetry', name, schema })
  const definition = {
    '@context': 'dtmi:dtdl:context;3',
    '@id': MODEL,
    '@type': 'Interface',
    displayName: 'Demo pump',
    contents: [
      telemetry('temperature', 'double'),
      telemetry('pressure', 'double'),
      telemetry('starts', 'integer'),
      telemetry('running', 'boolean'),
    ],
  }
  await call('POST', '/v1/models', { displayName: 'Demo pump', organizationId, definition })
}

async function ensureAlarm({ call }: Platform, organizationId: string): Promise<string> {
  const name = 'Demo pump too hot'
  const alarms = await call<{ id: string; name: string }[]>('GET', '/v1/alarms')
  const found = alarms.find((alarm) => alarm.name === name)
  if (found) return found.id
  const condition = JSON.stringify({ '>': [{ var: 'temperature' }, TOO_HOT] })
  const alarm = { name, entityTypeId: MODEL, entityIds: [], condition, severity: 4, organizationId }
  return (await call<{ id: string }>('POST', '/v1/alarms', alarm)).id
}

/** A simulation of another size or interval is deleted with its devices and replaced. */
async function ensureSimulation(
  platform: Platform,
  organizationId: string,
  { devices: count, intervalSeconds }: Options,
): Promise<Simulation> {
  const { call } = platform
  const simulations = await call<Simulation[]>('GET', '/v1/simulations')
  for (const old of simulations.filter(({ displayName }) => displayName === NAME)) {
    const isSame = old.count === count && old.intervalSeconds === intervalSeconds
    if (isSame) return stopped(platform, old.id)
    await call('DELETE', `/v1/simulations/${old.id}`)
  }
  return call('POST', '/v1/simulations', {
    displayName: NAME,
    organizationId,
    providerId: 'mqtt',
    modelId: MODEL,
    count,
    intervalSeconds,
    signals: [
      // Warm enough to activate the alarm from time to time.
      { name: 'temperature', generator: 'sine', amplitude: 20, offset: 55, periodSeconds: 120, noise: 1 },
      { name: 'pressure', generator: 'randomWalk', start: 4, step: 0.2, min: 2, max: 6 },
      { name: 'starts', generator: 'randomWalk', start: 5, step: 1, min: 0, max: 20 },
      { name: 'running', generator: 'steps', values: [true, true, true, false], holdSeconds: 30 },
    ],
  })
}

/** Finds a simulation that an interrupted run left behind. */
async function stopped({ call }: Platform, id: string): Promise<Simulation> {
  for (;;) {
    const simulation = await call<Simulation>('GET', `/v1/simulations/${id}`)
    if (simulation.state === 'stopped') return simulation
    if (simulation.state !== 'stopping') await call('POST', `/v1/simulations/${id}/stop`)
    await sleep(100)
  }
}

async function untilAllConnected(look: () => Promise<Simulation>, { devices, onProgress }: Options) {
  for (let shown = 0; ;) {
    const { state, progress } = await look()
    if (state === 'stopped') throw new Error(`The simulation stopped: ${progress.lastError}`)
    for (; shown < progress.connected; shown++) onProgress(shown + 1)
    if (shown >= devices) return
    await sleep(500)
  }
}

async function whatToLookAt(platform: Platform, assetId: string, alarmId: string): Promise<string> {
  const { url } = platform
  return `${await showLatest(platform, assetId)}
An alarm goes off above ${TOO_HOT} °C, once in two minutes (alarm ${alarmId}):

  curl --fail-with-body -sS ${url}/v1/alarms/status/entity/${assetId} -H "authorization: Bearer $TOKEN"

Let some pumps run hot for a minute:

  curl --fail-with-body -sS ${url}/v1/simulations -H "authorization: Bearer $TOKEN"
  curl --fail-with-body -sS ${url}/v1/simulations/$SIMULATION/faults -H "authorization: Bearer $TOKEN" \\
    -H 'content-type: application/json' -d '{"kind":"spikes","deviceCount":1,"factor":2,"durationSeconds":60}'
`
}
