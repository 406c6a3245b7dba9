/** Servers of different sizes, each with a sending fleet and one packed day of a few devices that is queried. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import type { HttpRequest } from '../http/ask.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import { deviceId, insertDevices } from '../platform/devices.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import { createToken, type GangwayStore, openGangway } from './gangway.ts'
import { createSensors, SAMPLES_A_DAY, SIGNALS } from './sensors.ts'

const DAY_MS = 86_400_000
/** Longer than a day stays open after its end. */
const SETTLED_MS = 7 * 3_600_000
const SMALL_DEVICES = 100
const SIGNALS_A_MESSAGE = 10
/** Devices whose history is queried, with a million values a day. */
const QUERIED_DEVICES = 12
const QUERIED = 'queried'

export interface World {
  /** For people. */
  size: string
  platform: Platform
  fleet: Child<FleetProgram>
  connections: number
  /** A day of one signal to averages of five minutes. */
  makeRequest(number: number): HttpRequest
  stop(): Promise<void>
}

interface Growth {
  /** Tenants beside the first one share the devices with it. */
  tenants?: string[]
  devices?: number
  values?: number
}

export const startSmall = (bench: Bench) => startWorld(bench, {})
export const growSeries = (bench: Bench, devices: number) => startWorld(bench, { devices })
export const growValues = (bench: Bench, values: number) => startWorld(bench, { values })
export const growTenants = (bench: Bench, count: number) =>
  startWorld(bench, { tenants: Array.from({ length: count - 1 }, (_, index) => `tenant-${index}`) })

async function startWorld(
  bench: Bench,
  { tenants = [], devices: wanted = SMALL_DEVICES, values = 0 }: Growth,
): Promise<World> {
  const connections = affordableConnections(bench, wanted)
  const platform = await bench.use(startPlatform(bench))
  const token = await createToken(platform)
  const devices = await insertFleet(platform, connections, tenants)
  await insertDevices(platform, QUERIED_DEVICES, { prefix: QUERIED })
  const gangway = await openGangway(bench, platform, token)
  const { fromMs, stored } = await fillHistory(bench, gangway, values)
  const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
  await fleet.call('connect', platform.server().mqttPort, devices, { signals: SIGNALS_A_MESSAGE })
  return {
    size: describeSize(connections, tenants.length + 1, stored),
    platform,
    fleet,
    connections,
    makeRequest: (number) =>
      gangway.makeRequest({
        device: deviceId(number % QUERIED_DEVICES, QUERIED),
        signal: SIGNALS[number % SIGNALS.length]!,
        fromMs,
        toMs: fromMs + DAY_MS,
        bucketMs: 300_000,
      }),
    async stop() {
      await fleet.stop()
      await gangway.stop()
      await platform[Symbol.asyncDispose]()
      // The processor is busy with what the database still writes.
      await sleep(1000)
    },
  }
}

const describeSize = (devices: number, tenants: number, values: number) =>
  `${(devices * SIGNALS_A_MESSAGE).toLocaleString('en')} series, ${tenants} tenant${tenants > 1 ? 's' : ''}, ${Math.round(values / 1e6)} million values`

async function insertFleet(platform: Platform, count: number, tenants: string[]): Promise<DeviceKey[]> {
  const share = Math.floor(count / (tenants.length + 1))
  const devices = await insertDevices(platform, count - share * tenants.length)
  for (const id of tenants) {
    await platform.api().post('/v1/tenants', {
      id,
      displayName: id,
      administrator: { displayName: 'A', email: `admin@${id}.example`, password: `the password of ${id}` },
    })
    devices.push(...(await insertDevices(platform, share, { tenantId: id, prefix: id })))
  }
  return devices
}

/** The queried day has the same samples in every world; the other values are of earlier days and other devices. */
async function fillHistory(bench: Bench, gangway: GangwayStore, values: number) {
  const fromMs = Math.floor((Date.now() - SETTLED_MS) / DAY_MS - 1) * DAY_MS
  const queried = Array.from({ length: QUERIED_DEVICES }, (_, index) => deviceId(index, QUERIED))
  let stored = await addDay(gangway, queried, fromMs)
  const others = Array.from({ length: SMALL_DEVICES }, (_, index) => `other-${index}`)
  for (let dayMs = fromMs; stored < values; dayMs -= DAY_MS) {
    stored += await addDay(gangway, others, dayMs)
    bench.progress(`${Math.round(stored / 1e6)} of ${values / 1e6} million values are packed`)
  }
  return { fromMs, stored }
}

async function addDay(gangway: GangwayStore, devices: string[], dayMs: number): Promise<number> {
  await gangway.add(createSensors(devices).map((sensor) => sensor.read(dayMs, SAMPLES_A_DAY)))
  return devices.length * SIGNALS.length * SAMPLES_A_DAY
}
