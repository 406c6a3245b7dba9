/** Measures the memory of an idle connection. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import { insertDevices } from '../platform/devices.ts'
import { startPlatform } from '../platform/start.ts'
import type { BareBrokerProgram } from '../programs/bare-broker.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const CONNECTIONS = 5000
const WARM_UP_CONNECTIONS = 200
const ROUNDS = 3

interface Broker {
  port: number
  memory(): Promise<NodeJS.MemoryUsage>
}

export const memory: BenchCase = {
  name: 'memory',
  about: 'resident memory per idle MQTT connection, against a bare socket',
  maxSeconds: 300,
  async run(bench) {
    const count = affordableConnections(bench, CONNECTIONS)
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, count)

    const perConnection = async (broker: Broker) => {
      const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
      // Warms up code that is loaded once, independent of the number of connections.
      await fleet.call('connect', broker.port, devices.slice(0, WARM_UP_CONNECTIONS))
      const before = await broker.memory()
      const fresh = await bench.use(startProgram<FleetProgram>('fleet'))
      await fresh.call('connect', broker.port, devices.slice(WARM_UP_CONNECTIONS))
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
      }),
    ]
  },
}
