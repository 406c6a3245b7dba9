// The fleet in the screenshots of the guide: always the same devices, with one hour of values.
import { connectAsync } from 'mqtt'
import { deployTwice, until } from './fixtures.mjs'
import { makeDashboards, makeFiles, makeNotifications, raiseAlarms } from './picture-operations.mjs'
import { makePeople, makeTenants, makeWebhook } from './picture-people.mjs'
import { makeOnboarding, makePlant } from './picture-plant.mjs'
import { makeRollouts, startSimulation } from './picture-rollout.mjs'
import { makeSites } from './picture-sites.mjs'

const clients = '/v1/providers/mqtt/clients'
const MINUTE_MS = 60_000

const pumps = [
  ['pump-1', 'Feed pump · Hall 1'],
  ['pump-2', 'Feed pump · Hall 2'],
  ['pump-3', 'Circulation pump'],
  ['pump-4', 'Booster pump'],
  ['pump-5', 'Sump pump'],
  ['pump-6', 'Feed pump 1 · Plant North'],
  ['pump-7', 'Feed pump 2 · Plant North'],
  ['pump-8', 'Circulation pump · Plant North'],
]
const meters = [
  ['meter-1', 'Power meter · Hall 1'],
  ['meter-2', 'Power meter · Hall 2'],
  ['meter-3', 'Water meter'],
]
/** These devices are connected; the others were connected earlier or never. */
const online = ['pump-1', 'pump-2', 'pump-3', 'pump-6', 'pump-7', 'pump-8']
/** Minutes ago until which all pumps are well; then these are not. */
const CALM_UNTIL = 6
const troubles = { 'pump-6': { heat: 9 }, 'pump-7': { heat: 9, leak: 0.5 } }

/** @returns the ids that addresses of pages need, and a function that disconnects the devices */
export async function makeFleet(api, mqtt) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  for (const [id, displayName] of pumps) await api('POST', clients, { id, displayName })
  await api('PUT', '/v1/providers/plant', { type: 'import', displayName: 'Plant bus', organizationId })
  for (const [id, displayName] of meters)
    await api('POST', '/v1/providers/plant/clients', { id, displayName })
  const ruleId = await makePlant(api)
  await sendHistory(api)
  await sendOldValues(api)
  await deployTwice(api, 'meter-1')
  const devices = new Map()
  for (const id of online) devices.set(id, await connectPump(api, mqtt, id))
  const away = await connectPump(api, mqtt, 'pump-4')
  await away.endAsync()
  await breakThings(api, devices.get('pump-1'))
  await makeOnboarding(api)
  await api('PUT', `${clients}/pump-1/properties/desired`, { intervalSeconds: 10, limits: { high: 80 } })
  await until(async () => (await api('GET', '/v1/overview')).devices.online === online.length)
  const people = await makePeople(api)
  await makeNotifications(api, people)
  await raiseAlarms(api, () => sendLastMinutes(devices))
  const dashboards = await makeDashboards(api, people.rootId)
  const sites = await makeSites(api, { ...people, ...dashboards })
  const files = await makeFiles(api, people.northId)
  await makeTenants(api)
  await makeWebhook(api)
  const rollouts = await makeRollouts(api)
  await startSimulation(api)
  const disconnect = () => Promise.all([...devices.values()].map((device) => device.endAsync(true)))
  return { ids: { ruleId, ...people, ...dashboards, ...sites, ...files, ...rollouts }, disconnect }
}

/** Sends one value a minute on a curve, with a gap of five minutes. */
async function sendHistory(api) {
  const end = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  for (const [index, [id]] of meters.entries()) {
    const samples = []
    for (let minute = 180; minute > 0; minute--)
      if (minute < 40 || minute > 46) samples.push(measure(index, minute, end))
    // Sends a few samples at a time, as a gateway would.
    while (samples.length > 0)
      await Promise.all(
        samples
          .splice(0, 20)
          .map((sample) => api('POST', `/v1/providers/plant/clients/${id}/telemetry`, sample)),
      )
  }
}

/** One value every six hours for 60 days, so that there is something to retain. */
async function sendOldValues(api) {
  for (let quarter = 240; quarter > 0; quarter--)
    await api('POST', '/v1/providers/plant/clients/meter-3/telemetry', {
      timestamp: new Date(Date.now() - quarter * 6 * 60 * MINUTE_MS).toISOString(),
      volume: Math.round((240 - quarter) * 17.3),
    })
}

function measure(index, minute, end) {
  const wave = Math.sin(minute / 17 + index) + 0.3 * Math.sin(minute / 3.1)
  return {
    timestamp: new Date(end - minute * MINUTE_MS).toISOString(),
    power: Math.round((42 + 9 * wave) * 10) / 10,
    voltage: Math.round((231 + 1.5 * wave) * 10) / 10,
  }
}

async function connectPump(api, mqtt, id) {
  const { primaryKey: password } = await api('GET', `${clients}/${id}/credentials`)
  const device = await connectAsync(mqtt, { clientId: id, username: id, password, reconnectPeriod: 0 })
  await sendMinutes(device, id, { from: 60, to: CALM_UNTIL })
  const reported = { firmware: '2.1.0', intervalSeconds: 10, limits: { high: 75 } }
  await device.publishAsync(`devices/${id}/twin/reported`, JSON.stringify(reported), { qos: 1 })
  return device
}

/** Sends one value a minute from so many minutes ago on; in the last ones the temperature and the pressure drift. */
async function sendMinutes(device, id, { from, to, heat = 0, leak = 0 }) {
  const now = Date.now()
  for (let minute = from; minute >= to; minute--) {
    const wave = Math.sin(minute / 9 + id.charCodeAt(5)) + 0.2 * Math.sin(minute / 1.7)
    const drift = Math.max(0, CALM_UNTIL - minute) / CALM_UNTIL
    const values = {
      timestamp: new Date(now - minute * MINUTE_MS).toISOString(),
      temperature: Math.round((68 + 4 * wave + heat * drift) * 10) / 10,
      pressure: Math.round((2.1 + 0.2 * wave - leak * drift) * 100) / 100,
      running: minute < 21 || minute > 26,
    }
    await device.publishAsync(`devices/${id}/telemetry`, JSON.stringify(values), { qos: 1 })
  }
}

/** Sends the last minutes, in which two pumps get hot and one leaks. */
async function sendLastMinutes(devices) {
  for (const [id, device] of devices)
    await sendMinutes(device, id, { from: CALM_UNTIL - 1, to: 0, ...troubles[id] })
}

/** Causes one problem of each kind. */
async function breakThings(api, device) {
  await device.publishAsync('devices/pump-1/telemetry', 'temperature=71,5', { qos: 1 })
  await api('PATCH', `${clients}/pump-5`, { enabled: false })
}
