/** Measures simultaneous reconnects with certificates and resumed TLS sessions, and the revocation of all of them at once. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { affordableConnections } from '../platform/affordable-connections.ts'
import { enrolDevices } from '../platform/certificates.ts'
import { untilNobodyIsConnected } from '../platform/metrics.ts'
import { startPlatform } from '../platform/start.ts'
import type { BareTlsBrokerProgram } from '../programs/bare-tls-broker.ts'
import type { TlsFleetProgram } from '../programs/tls-fleet.ts'

const DEVICES = 10_000
const ROUNDS = 3
const RECONNECT_GOAL_SECONDS = 15
const REVOCATION_GOAL_SECONDS = 5

export const mtlsStorm: BenchCase = {
  name: 'mtls-storm',
  about: '10,000 devices reconnect with certificates at once; then all certificates are revoked',
  maxSeconds: 900,
  async run(bench) {
    const count = affordableConnections(bench, DEVICES)
    const platform = await bench.use(startPlatform(bench))
    const { authorityId, key, devices } = await enrolDevices(platform, count)
    const fleet = await bench.use(startProgram<TlsFleetProgram>('tls-fleet'))
    await fleet.call('prepare', key, devices)
    const bareBroker = await bench.use(startProgram<BareTlsBrokerProgram>('bare-tls-broker'))
    const barePort = await bareBroker.call('listen', devices[0]!.certificate, key)
    const port = platform.server().mqttsPort
    const connect = async (to: number, expectedResumed: number) => {
      const { seconds, resumed, failedAttempts } = await fleet.call('connect', to)
      for (const [reason, times] of Object.entries(failedAttempts))
        bench.progress(`${times} attempts failed and were made again: ${reason}`)
      if (resumed < expectedResumed) bench.progress(`${resumed} of ${count} TLS sessions were resumed`)
      return seconds
    }
    const drop = async () => {
      await fleet.call('drop')
      await untilNobodyIsConnected(platform.server())
    }

    // With whole handshakes, and the first connection of each certificate, which is stored.
    const first = await connect(port, 0)
    bench.progress(`the first connections took ${first.toFixed(1)} s`)
    await drop()
    await connect(barePort, 0)
    const measured = await interleave(bench, ROUNDS, {
      bare: async () => {
        await drop()
        return connect(barePort, count)
      },
      resumed: async () => {
        await drop()
        return connect(port, count)
      },
    })
    const revocationSeconds = await revokeAll()
    const connections = count.toLocaleString('en')
    return [
      compare({
        measure: `${connections} devices reconnected with certificates and resumed TLS sessions`,
        unit: 's',
        better: 'less',
        rounds: measured.resumed,
        baseline: { name: 'accepted unseen', rounds: measured.bare },
        goal: { valueAtMost: RECONNECT_GOAL_SECONDS },
        details: { firstConnectionsSeconds: first },
      }),
      {
        measure: `${connections} sessions ended after the revocation of their authority`,
        unit: 's',
        value: revocationSeconds,
        goal: { valueAtMost: REVOCATION_GOAL_SECONDS },
      },
    ]

    async function revokeAll(): Promise<number> {
      const lost = fleet.call('untilAllAreLost')
      await platform.api().post(`/v1/certificate-authorities/${authorityId}/revoke`, {})
      return lost
    }
  },
}
