/** `npm run demo`: the whole flow with real HTTP and MQTT, against a running platform. */
import { setTimeout as sleep } from 'node:timers/promises'
import { askPassword } from './ask-password.ts'
import { bringUpFleet, deviceIds } from './fleet.ts'
import { type DemoOptions, readOptions, usage } from './options.ts'
import { logIn, type Platform } from './platform.ts'
import { prepareOnboarding } from './prepare-onboarding.ts'
import { drawProgress } from './progress.ts'
import { showLatest } from './show-latest.ts'
import { simulateFleet } from './simulate-fleet.ts'

async function demo(options: DemoOptions) {
  const password = options.password ?? (await askPassword(options.email))
  const platform = await logIn(options.url, options.email, password)
  if (options.simulate) return simulation(platform, options)
  const onboarding = await prepareOnboarding(platform)
  console.log(`Bringing up ${options.devices} pumps at ${options.url}`)
  await using fleet = await bringUpFleet(platform, onboarding, {
    ...options,
    onProgress: (done) => drawProgress(done, options.devices),
  })
  await firstAcknowledgement(fleet)
  console.log(await showLatest(platform, deviceIds(1)[0]!))
  await untilTheEnd(options.seconds)
  console.log(`${fleet.acknowledged()} messages acknowledged.`)
}

/** Simulates the same pumps on the platform instead of in this program. */
async function simulation(platform: Platform, options: DemoOptions) {
  console.log(`Simulating ${options.devices} pumps at ${options.url}`)
  await using fleet = await simulateFleet(platform, {
    ...options,
    onProgress: (done) => drawProgress(done, options.devices),
  })
  console.log(await fleet.whatToLookAt())
  await untilTheEnd(options.seconds)
  console.log(`${await fleet.acknowledged()} messages acknowledged.`)
}

async function firstAcknowledgement(fleet: { acknowledged(): number; devices: unknown[] }) {
  while (fleet.acknowledged() < fleet.devices.length) await sleep(50)
}

async function untilTheEnd(seconds: number | undefined) {
  console.log(seconds === undefined ? 'Streaming until Ctrl+C.' : `Streaming for ${seconds} s.`)
  // Not `once`: in a terminal, Ctrl+C arrives twice, from the terminal and from npm.
  const interrupted = new Promise<void>((resolve) => process.on('SIGINT', resolve).on('SIGTERM', resolve))
  await Promise.race([interrupted, ...(seconds === undefined ? [] : [sleep(seconds * 1000)])])
}

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') console.log(usage)
  else await demo(options)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
