/** Measures how many alarm conditions a process evaluates per second. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { median } from '../measure/statistics.ts'
import type { AlarmEvaluationsProgram } from '../programs/alarm-evaluations.ts'

const ALARMS = 1000
const ASSETS = 10_000
const MODELS = 100
const ROUNDS = 5
const ROUND_SECONDS = 2

export const alarms: BenchCase = {
  name: 'alarms',
  about: 'a thousand alarms over ten thousand assets in memory, against the JSONLogic engine alone',
  maxSeconds: 120,
  async run(bench) {
    const program = await bench.use(startProgram<AlarmEvaluationsProgram>('alarm-evaluations'))
    await program.call('prepare', ALARMS, ASSETS, MODELS)
    for (const variant of ['evaluate', 'interpret'] as const) await program.call(variant, 1)
    const microseconds = async (variant: 'evaluate' | 'interpret') =>
      1e6 / (await program.call(variant, ROUND_SECONDS))
    const measured = await interleave(bench, ROUNDS, {
      evaluate: () => microseconds('evaluate'),
      interpret: () => microseconds('interpret'),
    })
    return [
      compare({
        measure: `one of ${ALARMS} alarms over ${ASSETS.toLocaleString('en')} assets`,
        unit: 'µs',
        better: 'less',
        rounds: measured.evaluate,
        baseline: { name: 'the engine interpreting', rounds: measured.interpret },
        // Half a million a second.
        goal: { valueAtMost: 2 },
        details: { evaluationsPerSecond: 1e6 / median(measured.evaluate) },
      }),
    ]
  },
}
