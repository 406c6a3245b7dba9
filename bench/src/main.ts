/** `npm run bench`: runs the named cases one after the other, prints ratios, writes them to `bench-results/`. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, BenchCase, Sizes } from './bench-case.ts'
import type { Finding } from './measure/finding.ts'
import { type Options, readOptions, usage } from './options.ts'
import { describeMachine, makeResult, writeTable, writeResult } from './report.ts'
import { createResources } from './resources.ts'

/** Grace time of a case that was aborted; resources that it still starts are stopped at once. */
const UNWIND_MS = 20_000

async function bench(args: string[]) {
  const options = readOptions(args)
  if (options === 'help') return console.log(usage())
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => interrupted.abort(new Error(`stopped by ${signal}`)))

  const machine = describeMachine()
  if (machine.loadBefore > machine.cpus / 2)
    console.error(
      `The machine is busy (load ${machine.loadBefore.toFixed(1)}), so that even ratios will stray.\n`,
    )
  const results = []
  for (const benchCase of options.cases) {
    console.error(`${benchCase.name}: ${benchCase.about}`)
    const findings = await runBounded(benchCase, interrupted.signal, options)
    const result = makeResult(benchCase.name, machine, findings)
    console.error(`${benchCase.name}: written to ${await writeResult(result)}\n`)
    results.push(result)
  }
  console.log(options.json ? JSON.stringify(results, null, 2) : writeTable(results))
}

/** @throws if the case fails, takes too long or is interrupted; its resources are always stopped */
async function runBounded(benchCase: BenchCase, interrupted: AbortSignal, { profileDir, sizes }: Options) {
  const resources = createResources()
  const finished = new AbortController()
  const context: Bench = {
    use: resources.use,
    progress: (line) => console.error(`  ${line}`),
    profileDir,
    sizes,
  }
  const running = benchCase.run(context)
  try {
    return await Promise.race<Finding[]>([
      running,
      interruption(interrupted, finished.signal),
      timeLimit(benchCase, sizes, finished.signal),
    ])
  } finally {
    await resources[Symbol.asyncDispose]()
    const settled = running.catch(() => {})
    await Promise.race([settled, sleep(UNWIND_MS, undefined, { signal: finished.signal }).catch(() => {})])
    finished.abort()
  }
}

async function interruption(interrupted: AbortSignal, finished: AbortSignal): Promise<never> {
  if (!interrupted.aborted) await once(interrupted, 'abort', { signal: finished })
  throw interrupted.reason
}

async function timeLimit(benchCase: BenchCase, sizes: Sizes, finished: AbortSignal): Promise<never> {
  const { name, maxSeconds, maxSecondsLarge = maxSeconds } = benchCase
  const seconds = sizes.isLarge ? maxSecondsLarge : maxSeconds
  await sleep(seconds * 1000, undefined, { signal: finished })
  throw new Error(`${name} did not end within ${seconds} s`)
}

try {
  await bench(process.argv.slice(2))
} catch (error) {
  console.error(`The bench stopped: ${(error as Error).message}`)
  process.exitCode = 1
}
// A case that was aborted may still have a timer or a socket.
process.exit()
