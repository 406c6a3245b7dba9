/** Measures what a tenant notices of the devices of another that stop reading while messages for them arrive. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { insertDevices } from '../platform/devices.ts'
import { startPlatform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'
import type { StalledProgram } from '../programs/stalled-subscribers.ts'

const STALLED = 100
const PUBLISHERS = 100
const ROUNDS = 3
/** Shorter than the time after which a stalled device is disconnected. */
const ROUND_SECONDS = 10
const WARM_UP_SECONDS = 3
const WINDOW = 80
/** Each device, while it is stalled. */
const FLOOD_PER_SECOND = 5
/** The limits of all stalled sessions (256 KiB unsent and 1 MiB queued each), and the buffers of the senders. */
const MAX_GROWTH_MIB = (STALLED * (256 + 1024)) / 1024 + 100
const MIB = 1024 * 1024

export const stalled: BenchCase = {
  name: 'stalled',
  about: '100 devices stop reading: PUBACK of another tenant with and without them, and memory',
  maxSeconds: 600,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    await platform.api().post('/v1/tenants', {
      id: 'stalled',
      displayName: 'Stalled',
      administrator: { displayName: 'A', email: 'admin@stalled.example', password: 'the stalled tenant 1' },
    })
    const publishers = await insertDevices(platform, PUBLISHERS)
    const stalling = await insertDevices(platform, STALLED, { tenantId: 'stalled', prefix: 'stalled' })
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    const flood = await bench.use(startProgram<StalledProgram>('stalled-subscribers'))
    const { mqttPort, call } = platform.server()
    await fleet.call('connect', mqttPort, publishers)
    await fleet.call('publishInWindow', WINDOW, WARM_UP_SECONDS)
    const { messagesPerSecond } = await fleet.call('publishInWindow', WINDOW, WARM_UP_SECONDS)
    const publish = async () =>
      (await fleet.call('publishAtRate', messagesPerSecond / 3, ROUND_SECONDS)).p99Ms
    bench.progress(`the publishers send ${Math.round(messagesPerSecond / 3)} messages a second`)

    const growthsMib: number[] = []
    const measured = await interleave(bench, ROUNDS, {
      without: publish,
      with: async () => {
        const before = await call('memory')
        await flood.call('flood', mqttPort, stalling, FLOOD_PER_SECOND)
        const p99Ms = await publish()
        growthsMib.push(((await call('memory')).rss - before.rss) / MIB)
        await flood.call('drop')
        return p99Ms
      },
    })
    return [
      compare({
        measure: `PUBACK p99 beside ${STALLED} stalled devices`,
        unit: 'ms',
        better: 'less',
        rounds: measured.with,
        baseline: { name: 'without them', rounds: measured.without },
        goal: { ratioAtLeast: 0.83 },
      }),
      {
        measure: `memory of ${STALLED} stalled devices`,
        unit: 'MiB',
        value: Math.max(...growthsMib),
        goal: { valueAtMost: MAX_GROWTH_MIB },
      },
    ]
  },
}
