/** What a message costs more when assets read it: fleets of the same size, each in its way, in turn. */
import type { Bench } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { insertBoundAssets } from '../platform/bound-assets.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import type { Platform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const SIGNALS = 3
const WINDOW = 16
const ROUNDS = 7
const ROUND_SECONDS = 3

export const CONNECTIONS_A_VARIANT = 300

/** @param devices for all variants @returns also how many rows were acknowledged */
export async function measureVariants(
  bench: Bench,
  platform: Platform,
  devices: DeviceKey[],
): Promise<{ findings: Finding[]; rows: number }> {
  const [plain, bound] = [0, 1].map((index) =>
    devices.slice(index * CONNECTIONS_A_VARIANT, (index + 1) * CONNECTIONS_A_VARIANT),
  ) as [DeviceKey[], DeviceKey[]]
  await insertBoundAssets(platform, 'Bound', bound)
  let rows = 0
  const fleetOf = async (ofVariant: DeviceKey[]) => {
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, ofVariant)
    return async () => {
      const { messages, messagesPerSecond } = await fleet.call('publishInWindow', WINDOW, ROUND_SECONDS)
      rows += messages * SIGNALS
      return messagesPerSecond * SIGNALS
    }
  }
  const variants = { unbound: await fleetOf(plain), bound: await fleetOf(bound) }
  // The first run makes series and partitions.
  for (const publish of Object.values(variants)) await publish()
  const measured = await interleave(bench, ROUNDS, variants)
  const finding = compare({
    measure: `rows/s, every client bound to an asset, one transform in ${SIGNALS}, ${CONNECTIONS_A_VARIANT} connections`,
    unit: 'rows/s',
    better: 'more',
    rounds: measured.bound,
    baseline: { name: 'clients without assets', rounds: measured.unbound },
    goal: { ratioAtLeast: 0.8 },
  })
  return { findings: [finding], rows }
}
