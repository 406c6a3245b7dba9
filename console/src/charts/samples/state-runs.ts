/** Joins consecutive samples of the same state to runs, which are drawn as a band. */
import type { Range } from '../time/range.ts'
import { findFirst, type Samples } from './samples.ts'

export interface StateRun extends Range {
  /** The index of the state. */
  state: number
}

interface RunOptions {
  range: Range
  lastUntil: number
  leastMs?: number
  longestMs?: number
  /** Spans in which the device was not connected. */
  offline?: Range[]
}

/**
 * Lists the runs of states in a range. A state lasts until the next sample, the last state until `lastUntil`; all of them
 * at most for `longestMs`, and until the device goes offline.
 *
 * @param leastMs runs shorter than this are joined to one run, which has the last of their states
 */
export function listStateRuns(
  samples: Samples,
  { range, lastUntil, leastMs = 0, longestMs = Infinity, offline = [] }: RunOptions,
): StateRun[] {
  const { times, values, length } = samples
  const runs: StateRun[] = []
  const first = Math.max(0, findFirst(samples, range.from) - 1)
  for (let index = first; index < length && times[index]! < range.to; index++) {
    const from = Math.max(range.from, times[index]!)
    const next = index + 1 < length ? times[index + 1]! : Math.max(lastUntil, times[index]!)
    const to = Math.min(range.to, endState(times[index]!, next, { longestMs, offline }))
    const before = runs.at(-1)
    const isJoined = before !== undefined && before.to === from
    if (isJoined && before.state === values[index]) before.to = to
    else if (isJoined && to - before.from < leastMs) Object.assign(before, { to, state: values[index] })
    else if (to > from) runs.push({ from, to, state: values[index]! })
  }
  return runs
}

/**
 * The time at which a state ends.
 * @param next time of the next sample, or the end of the last state
 */
export function endState(
  time: number,
  next: number,
  { longestMs, offline }: { longestMs: number; offline: Range[] },
): number {
  let end = next - time > longestMs ? time + longestMs : next
  for (const { from } of offline) if (from > time && from < end) end = from
  return end
}
