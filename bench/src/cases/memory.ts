/**
 * Measures the memory of an idle connection: the growth by further ones, beside as many that are connected already. What
 * grows once (code that is loaded late, pages of the young generation, buffers of the database driver) is not in it,
 * and is reported with the first connections.
 */
import type { Bench, BenchCase } from '../bench-case.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { median } from '../measure/statistics.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import { insertDevices } from '../platform/devices.ts'
import { untilNobodyIsConnected } from '../platform/metrics.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { BareBrokerProgram } from '../programs/bare-broker.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const CONNECTIONS = 10_000
const STORED_SESSIONS = 10_000
const GOAL_KIB = 12
const MAX_STORED_KIB = 1
/** The part of the connections that is there before the measurement. */
const WARM_UP_SHARE = 1 / 2
const ROUNDS = 3

interface Broker {
  port: number
  memory(): Promise<NodeJS.MemoryUsage>
}

export const memory: BenchCase = {
  name: 'memory',
  about:
    'resident memory per idle MQTT connection beside as many others, against a bare socket; of 10,000 stored sessions',
  maxSeconds: 600,
  async run(bench) {
    const count = affordableConnections(bench, CONNECTIONS)
    const storedCount = affordableConnections(bench, STORED_SESSIONS)
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, Math.max(count, storedCount))

    const warmUpCount = Math.floor(count * WARM_UP_SHARE)
    const firstKibibytes: number[] = []

    const perConnection = async (broker: Broker, onFirst = (_kibibytes: number) => {}) => {
      const empty = await broker.memory()
      const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
      await fleet.call('connect', broker.port, devices.slice(0, warmUpCount))
      const before = await broker.memory()
      onFirst((before.rss - empty.rss) / 1024 / warmUpCount)
      const fresh = await bench.use(startProgram<FleetProgram>('fleet'))
      await fresh.call('connect', broker.port, devices.slice(warmUpCount, count))
      const after = await broker.memory()
      await Promise.all([fleet.stop(), fresh.stop()])
      return (after.rss - before.rss) / 1024 / (count - warmUpCount)
    }
    const measured = await interleave(bench, ROUNDS, {
      // Each round starts a new process, since a used one has free pages.
      connection: async () => {
        await platform.restartServer()
        const { mqttPort, call } = platform.server()
        const broker = { port: mqttPort, memory: () => call('memory') }
        return perConnection(broker, (kibibytes) => firstKibibytes.push(kibibytes))
      },
      bare: async () => {
        const bare = await bench.use(startProgram<BareBrokerProgram>('bare-broker'))
        const broker = { port: await bare.call('listen'), memory: () => bare.call('memory') }
        const kibibytes = await perConnection(broker)
        await bare.stop()
        return kibibytes
      },
    })
    return [
      compare({
        measure: `memory per idle connection, of ${format(count - warmUpCount)} beside ${format(warmUpCount)} others`,
        unit: 'KiB',
        better: 'less',
        rounds: measured.connection,
        baseline: { name: 'a bare socket', rounds: measured.bare },
        goal: { valueAtMost: GOAL_KIB },
      }),
      {
        measure: `memory per connection of the first ${format(warmUpCount)}, with what grows once`,
        unit: 'KiB',
        value: median(firstKibibytes),
      },
      ...(await measureStored(bench, platform, devices.slice(0, storedCount))),
    ]
  },
}

const format = (count: number) => count.toLocaleString('en')

/** Sessions that are kept: with their connections, and after these have ended. */
async function measureStored(bench: Bench, platform: Platform, devices: DeviceKey[]): Promise<Finding[]> {
  await platform.restartServer()
  const { mqttPort, call } = platform.server()
  const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
  // The code that is loaded once, and the pages that connecting so many devices once leaves behind.
  await fleet.call('connect', mqttPort, devices)
  await fleet.call('drop')
  await untilNobodyIsConnected(platform.server())
  const before = await call('memory')
  const kibibytesSince = async () => ((await call('memory')).rss - before.rss) / 1024 / devices.length
  await fleet.call('connect', mqttPort, devices, { isKept: true })
  const connected = await kibibytesSince()
  await fleet.call('drop')
  await untilNobodyIsConnected(platform.server())
  const left = await kibibytesSince()
  const sessions = format(devices.length)
  return [
    { measure: `memory per connection with a stored session, of ${sessions}`, unit: 'KiB', value: connected },
    {
      measure: `memory per stored session without a connection, of ${sessions}`,
      unit: 'KiB',
      value: left,
      goal: { valueAtMost: MAX_STORED_KIB },
    },
  ]
}
