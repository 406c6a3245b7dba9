/** Measures how long a PUBACK takes at given rates, open loop: a stall of the server counts for every message it delays. */
import type { Bench, BenchCase } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import type { Finding, Goal } from '../measure/finding.ts'
import { median } from '../measure/statistics.ts'
import { insertDevices } from '../platform/devices.ts'
import { startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const CONNECTIONS = [100, 1000]
const FIXED_RATES = [4000, 10_000]
const MESSAGES_IN_FLIGHT = 8000
const MAXIMUM_SECONDS = 3
const ROUNDS = 3
const ROUND_SECONDS = 5

export const latency: BenchCase = {
  name: 'latency',
  about: 'PUBACK p50 and p99 of telemetry at QoS 1, at fixed rates and at a third of the maximum',
  maxSeconds: 300,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const devices = await insertDevices(platform, Math.max(...CONNECTIONS))
    const findings: Finding[] = []
    for (const connections of CONNECTIONS) {
      const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
      await fleet.call('connect', platform.server().mqttPort, devices.slice(0, connections))
      const publish = () => fleet.call('publishInWindow', MESSAGES_IN_FLIGHT / connections, MAXIMUM_SECONDS)
      // The first message creates series and partitions.
      await publish()
      const maximum = (await publish()).messagesPerSecond
      const rates: [rate: number, name: string, goal?: Goal][] = [
        ...FIXED_RATES.map((rate): [number, string, Goal] => [rate, `${rate}/s`, { valueAtMost: 15 }]),
        [maximum / 3, 'a third of the maximum', { valueAtMost: 40 }],
      ]
      for (const [rate, name, goal] of rates)
        findings.push(
          ...(await measure(bench, fleet, { rate, name: `${name}, ${connections} connections`, goal })),
        )
      await fleet.stop()
    }
    return findings
  },
}

async function measure(
  bench: Bench,
  fleet: Child<FleetProgram>,
  { rate, name, goal }: { rate: number; name: string; goal: Goal | undefined },
): Promise<Finding[]> {
  const p50: number[] = []
  const p99: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const paced = await fleet.call('publishAtRate', rate, ROUND_SECONDS)
    p50.push(paced.p50Ms)
    p99.push(paced.p99Ms)
  }
  bench.progress(`${name}: p99 ${p99.map((ms) => ms.toFixed(1)).join(', ')} ms`)
  const finding = (percentile: string, rounds: number[]) => ({
    measure: `PUBACK ${percentile} at ${name}`,
    unit: 'ms',
    value: median(rounds),
    rounds: { value: rounds },
    details: { messagesPerSecond: rate },
  })
  return [finding('p50', p50), { ...finding('p99', p99), ...(goal && { goal }) }]
}
