/** Measures the additional cost of messages that are bound to assets, with fleets of the same size. */
import type { Bench } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { insertBoundAssets, SIGNALS } from '../platform/bound-assets.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import type { Platform } from '../platform/start.ts'
import type { FleetProgram } from '../programs/fleet.ts'

const WINDOW = 16
const ROUNDS = 7
const ROUND_SECONDS = 3

const CONNECTIONS_A_VARIANT = 300

const VARIANTS = 3
export const DEVICES_FOR_VARIANTS = VARIANTS * CONNECTIONS_A_VARIANT
const ALARMS = 10

/** @param devices of all variants @returns also the number of acknowledged messages */
export async function measureVariants(
  bench: Bench,
  platform: Platform,
  devices: DeviceKey[],
): Promise<{ findings: Finding[]; rows: number }> {
  const [plain, bound, watched] = Array.from({ length: VARIANTS }, (_, index) =>
    devices.slice(index * CONNECTIONS_A_VARIANT, (index + 1) * CONNECTIONS_A_VARIANT),
  ) as [DeviceKey[], DeviceKey[], DeviceKey[]]
  await insertBoundAssets(platform, 'Bound', bound)
  await makeAlarms(platform, await insertBoundAssets(platform, 'Watched', watched))
  let rows = 0
  const connectFleet = async (ofVariant: DeviceKey[]) => {
    const fleet = await bench.use(startProgram<FleetProgram>('fleet'))
    await fleet.call('connect', platform.server().mqttPort, ofVariant)
    return async () => {
      const { messages, messagesPerSecond } = await fleet.call('publishInWindow', WINDOW, ROUND_SECONDS)
      rows += messages
      return messagesPerSecond
    }
  }
  const variants = {
    unbound: await connectFleet(plain),
    bound: await connectFleet(bound),
    watched: await connectFleet(watched),
  }
  // The first run creates series and partitions.
  for (const publish of Object.values(variants)) await publish()
  const measured = await interleave(bench, ROUNDS, variants)
  const common = { unit: 'messages/s', better: 'more', goal: { ratioAtLeast: 0.8 } } as const
  const findings = [
    compare({
      ...common,
      measure: `messages/s, every client bound to an asset, one transform in ${SIGNALS.length}, ${CONNECTIONS_A_VARIANT} connections`,
      rounds: measured.bound,
      baseline: { name: 'clients without assets', rounds: measured.unbound },
    }),
    compare({
      ...common,
      measure: `messages/s, ${ALARMS} alarms on every asset`,
      rounds: measured.watched,
      baseline: { name: 'assets without alarms', rounds: measured.bound },
    }),
  ]
  return { findings, rows }
}

/** Alarms that never become active, so that only their evaluation is measured. */
async function makeAlarms(platform: Platform, entityTypeId: string): Promise<void> {
  for (let number = 0; number < ALARMS; number++) {
    const signal = SIGNALS[number % SIGNALS.length]!
    const condition = JSON.stringify({ '<': [{ var: signal }, -1000 - number] })
    await platform.api().post('/v1/alarms', { name: `Alarm ${number}`, entityTypeId, condition })
  }
}
