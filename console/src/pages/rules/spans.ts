/** Spans of time as a band of a chart. */
import { addSample, createSamples, findState, type Samples } from '../../charts/samples/samples.ts'
import type { Range } from '../../charts/time/range.ts'

/** A band that has the state while a span lasts, and is empty between the spans. */
export function makeBand(spans: readonly Range[], state: string, range: Range): Samples {
  const samples = createSamples({ isState: true })
  const set = (at: number, text: string) => addSample(samples, at, findState(samples, text))
  set(range.from, '')
  for (const { from, to } of spans) {
    if (to <= range.from || from >= range.to) continue
    set(Math.max(range.from, from), state)
    set(Math.min(range.to, to), '')
  }
  const last = samples.values[samples.length - 1]!
  if (samples.times[samples.length - 1]! < range.to) addSample(samples, range.to, last)
  return samples
}
