/** Measures the cost of a settings request beyond HTTP itself. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { deviceId } from '../platform/devices.ts'
import { bulkAdd, createEnrollmentGroup, provision } from '../platform/onboarding.ts'
import { startPlatform } from '../platform/start.ts'
import type { EmptyRouteProgram } from '../programs/empty-route.ts'
import type { RequestsProgram } from '../programs/requests.ts'

const DEVICES = 1000
/** A hundred devices that send requests continuously, and all devices at once. */
const CONNECTIONS = [100, DEVICES]
const ROUNDS = 5
const ROUND_SECONDS = 3
const WARM_UP_SECONDS = 2

export const settings: BenchCase = {
  name: 'settings',
  about: 'GET /get_settings of a thousand devices, against an empty Fastify route',
  maxSeconds: 300,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const group = await createEnrollmentGroup(platform)
    const ids = Array.from({ length: DEVICES }, (_, index) => deviceId(index))
    await bulkAdd(platform, group.id, ids)
    await provision(platform, group.id, ids)
    const requests = ids.map((id) => ({
      method: 'GET' as const,
      path: '/get_settings',
      authorization: `Basic ${Buffer.from(`${id}:${group.bootstrapKey}`).toString('base64')}`,
    }))
    const empty = await bench.use(startProgram<EmptyRouteProgram>('empty-route'))
    const emptyUrl = await empty.call('listen')
    const client = await bench.use(startProgram<RequestsProgram>('requests'))
    const ask = (url: string, connections: number, seconds: number) =>
      client.call('askFor', url, requests, connections, seconds)

    const findings: Finding[] = []
    for (const connections of CONNECTIONS) {
      for (const url of [platform.api().url, emptyUrl]) await ask(url, connections, WARM_UP_SECONDS)
      const measured = await interleave(bench, ROUNDS, {
        settings: () => ask(platform.api().url, connections, ROUND_SECONDS),
        empty: () => ask(emptyUrl, connections, ROUND_SECONDS),
      })
      findings.push(
        compare({
          measure: `requests/s, ${connections} connections`,
          unit: 'requests/s',
          better: 'more',
          rounds: measured.settings,
          baseline: { name: 'an empty route', rounds: measured.empty },
          goal: { ratioAtLeast: 0.25 },
        }),
      )
    }
    return findings
  },
}
