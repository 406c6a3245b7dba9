/** Measures the memory of an idle connection. */
import type { Bench, BenchCase } from '../bench-case.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import { insertDevices } from '../platform/devices.ts'
import { untilNobodyIsConnected } from '../platform/metrics.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import type { BareBrokerProgram } from '../programs/bare-broker.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const CONNECTIONS = 5000
const STORED_SESSIONS = 10_000
const GOAL_KIB = 12
const MAX_STORED_KIB = 1
const WARM_UP_CONNECTIONS = 200
const ROUNDS = 3

interface Broker {
  port: number
  memory(): Promise<NodeJS.MemoryUsage>
}

export const memory: BenchCase = {
  name: 'memory',
  about: 'resident memory per idle MQTT connection, against a bare socket; of 10,000 stored sessions',
  maxSeconds: 600,
  async run(bench) {
    const count = affordableConnections(bench, CONNECTIONS)
    const storedCount = affordableConnections(bench, STORED_SESSIONS)
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, Math.max(count, storedCount))

    const perConnection = async (broker: Broker) => {
      const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
      // Warms up code that is loaded once, independent of the number of connections.
      await fleet.call('connect', broker.port, devices.slice(0, WARM_UP_CONNECTIONS))
      const before = await broker.memory()
      const fresh = await bench.use(startProgram<FleetProgram>('fleet'))
      await fresh.call('connect', broker.port, devices.slice(WARM_UP_CONNECTIONS, count))
      const after = await broker.memory()
      await Promise.all([fleet.stop(), fresh.stop()])
      return (after.rss - before.rss) / 1024 / (count - WARM_UP_CONNECTIONS)
    }
    const measured = await interleave(bench, ROUNDS, {
      // Each round starts a new process, since a used one has free pages.
      connection: async () => {
        await platform.restartServer()
        const { mqttPort, call } = platform.server()
        return perConnection({ port: mqttPort, memory: () => call('memory') })
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
        measure: `memory per idle connection, of ${count.toLocaleString('en')}`,
        unit: 'KiB',
        better: 'less',
        rounds: measured.connection,
        baseline: { name: 'a bare socket', rounds: measured.bare },
        goal: { valueAtMost: GOAL_KIB },
      }),
      ...(await measureStored(bench, platform, devices.slice(0, storedCount))),
    ]
  },
}

/** Sessions that are kept: with their connections, and after these have ended. */
async function measureStored(bench: Bench, platform: Platform, devices: DeviceKey[]): Promise<Finding[]> {
  await platform.restartServer()
  const { mqttPort, call } = platform.server()
  const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
  // The code that is loaded once, and the pages that connecting so many devices once leaves behind.
  await fleet.call('connect', mqttPort, devices)
  await fleet.call('drop')
  await untilNobodyIsConnected(platform)
  const before = await call('memory')
  const kibibytesSince = async () => ((await call('memory')).rss - before.rss) / 1024 / devices.length
  await fleet.call('connect', mqttPort, devices, { isKept: true })
  const connected = await kibibytesSince()
  await fleet.call('drop')
  await untilNobodyIsConnected(platform)
  const left = await kibibytesSince()
  const sessions = devices.length.toLocaleString('en')
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
