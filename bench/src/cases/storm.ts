/** Measures simultaneous reconnects: after a restart of the server, and after a loss of all connections. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { insertDevices } from '../platform/devices.ts'
import { untilNobodyIsConnected } from '../platform/metrics.ts'
import { startPlatform } from '../platform/start.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import type { BareBrokerProgram } from '../programs/bare-broker.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const DEVICES = 10_000
const ROUNDS = 3
const GOAL_SECONDS = 10

export const storm: BenchCase = {
  name: 'storm',
  about: '10,000 devices connect at once, against a server that accepts every connection',
  maxSeconds: 600,
  async run(bench) {
    const connections = affordableConnections(bench, DEVICES)
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, connections)
    const bareBroker = await bench.use(startProgram<BareBrokerProgram>('bare-broker'))
    const barePort = await bareBroker.call('listen')
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    const connect = async (port: number) => {
      const { seconds, failedAttempts } = await fleet.call('connect', port, devices)
      for (const [reason, count] of Object.entries(failedAttempts))
        bench.progress(`${count} attempts failed and were made again: ${reason}`)
      return seconds
    }
    const drop = async () => {
      await fleet.call('drop')
      await untilNobodyIsConnected(platform.server())
    }

    const measured = await interleave(bench, ROUNDS, {
      // The restarted server has no cache of verified keys.
      cold: async () => {
        await platform.restartServer()
        return connect(platform.server().mqttPort)
      },
      warm: async () => {
        await drop()
        return connect(platform.server().mqttPort)
      },
      bare: async () => {
        await drop()
        const seconds = await connect(barePort)
        await fleet.call('drop')
        return seconds
      },
    })
    return (['cold', 'warm'] as const).map((state) =>
      compare({
        measure: `${connections.toLocaleString('en')} devices connected, ${state}`,
        unit: 's',
        better: 'less',
        rounds: measured[state],
        baseline: { name: 'accepted unseen', rounds: measured.bare },
        goal: { valueAtMost: GOAL_SECONDS },
      }),
    )
  },
}
