/** Joins consecutive samples of the same state to runs, which are drawn as a band. */
import type { Range } from '../time/range.ts'
import { findFirst, type Samples } from './samples.ts'

export interface StateRun extends Range {
  /** The index of the state. */
  state: number
}

/**
 * Lists the runs of states in a range. A state lasts until the next sample, the last state until `lastUntil`.
 *
 * @param leastMs runs shorter than this are joined to one run, which has the last of their states
 */
export function listStateRuns(
  samples: Samples,
  { range, lastUntil, leastMs = 0 }: { range: Range; lastUntil: number; leastMs?: number },
): StateRun[] {
  const { times, values, length } = samples
  const runs: StateRun[] = []
  const first = Math.max(0, findFirst(samples, range.from) - 1)
  for (let index = first; index < length && times[index]! < range.to; index++) {
    const from = Math.max(range.from, times[index]!)
    const to = Math.min(range.to, index + 1 < length ? times[index + 1]! : Math.max(lastUntil, times[index]!))
    const before = runs.at(-1)
    if (before !== undefined && before.state === values[index]) before.to = to
    else if (before !== undefined && to - before.from < leastMs)
      Object.assign(before, { to, state: values[index] })
    else if (to > from) runs.push({ from, to, state: values[index]! })
  }
  return runs
}
