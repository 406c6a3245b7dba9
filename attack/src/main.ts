/** `npm run attack`: runs the named attacks one after the other and fails if a bound is exceeded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { resultsDir } from '@gangway/bench/dist/report.js'
import { type Attack, boundsBeside } from './attack.ts'
import { attacks } from './attacks.ts'
import { type Measured, measureDuring } from './measure.ts'
import { formatLine, missedBounds } from './report.ts'
import { startWorld, type World } from './world.ts'

const MAX_ATTACK_MS = 40_000

const usage = () => `npm run attack -- [attack…] [--profile]

${attacks.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}

  --profile    the server writes a CPU profile into bench-results/ (and is slower for it)
`

async function main(args: string[]): Promise<number> {
  const names = args.filter((arg) => arg !== '--profile')
  const chosen = names.length === 0 ? attacks : attacks.filter(({ name }) => names.includes(name))
  if (names.includes('--help') || chosen.length < names.length) {
    console.log(usage())
    return names.includes('--help') ? 0 : 2
  }
  await using world = await startWorld({ profileDir: args.includes('--profile') ? resultsDir : undefined })
  const quiet = await runOne(world, nothing)
  const bounds = boundsBeside(quiet)
  let missed = 0
  for (const attack of chosen) {
    const measured = await runOne(world, attack)
    const problems = [...measured.problems, ...missedBounds(measured, { ...bounds, ...attack.bounds })]
    for (const problem of problems) console.log(`  MISSED: ${problem}`)
    missed += problems.length
  }
  console.log(missed === 0 ? 'Every bound is kept.' : `${missed} bounds are missed.`)
  return missed === 0 ? 0 : 1
}

/** Measures without an attack, as the baseline of the bounds. */
const nothing: Attack = {
  name: 'nothing',
  about: 'no attack',
  run: () => sleep(5000, ''),
}

async function runOne(world: World, attack: Attack): Promise<Measured & { problems: string[] }> {
  const deviceId = `victim-${attack.name}`
  await world.victim.makeDevice(deviceId)
  const other = await world.victim.getAccount(deviceId)
  await attack.prepare?.(world)
  let outcome = ''
  const problems: string[] = []
  const measured = await measureDuring(world, other, async () => {
    try {
      outcome = await bounded(attack, world)
    } catch (error) {
      problems.push((error as Error).message)
    }
  })
  await world.attacker.end()
  console.log(formatLine(attack.name, measured))
  if (outcome) console.log(`  ${outcome}`)
  return { ...measured, problems }
}

async function bounded(attack: Attack, world: World): Promise<string> {
  const over = new AbortController()
  const late = sleep(MAX_ATTACK_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it did not end within ${MAX_ATTACK_MS / 1000} s`)
  })
  try {
    return await Promise.race([attack.run(world), late])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`The attacks stopped: ${(error as Error).stack}`)
  process.exitCode = 1
}
process.exit()
