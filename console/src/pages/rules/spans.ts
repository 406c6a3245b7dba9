/** Spans of time as a band of a chart. */
import { addSample, createSamples, findState, type Samples } from '../../charts/samples/samples.ts'
import type { Range } from '../../charts/time/range.ts'

export interface Span extends Range {
  state: string
}

/** A band that has the state of a span while it lasts, and `idle` between the spans. */
export function makeBand(spans: readonly Span[], idle: string, range: Range): Samples {
  const samples = createSamples({ isState: true })
  const set = (at: number, text: string) => addSample(samples, at, findState(samples, text))
  set(range.from, idle)
  for (const { from, to, state } of spans) {
    if (to <= range.from || from >= range.to) continue
    set(Math.max(range.from, from), state)
    set(Math.min(range.to, to), idle)
  }
  const last = samples.values[samples.length - 1]!
  if (samples.times[samples.length - 1]! < range.to) addSample(samples, range.to, last)
  return samples
}

interface States {
  shared: string
  alone: string
}

/**
 * Cuts spans where others begin and end.
 *
 * @param others in the order of time, and apart from each other, as the spans are
 * @returns pieces with the state `shared` where one of the others is, else with `alone`
 */
export function cutSpans(spans: readonly Range[], others: readonly Range[], states: States): Span[] {
  return spans.flatMap(({ from, to }) => {
    const pieces: Span[] = []
    let at = from
    for (const other of others) {
      const [begin, end] = [Math.max(at, other.from), Math.min(to, other.to)]
      if (end <= begin) continue
      if (begin > at) pieces.push({ from: at, to: begin, state: states.alone })
      pieces.push({ from: begin, to: end, state: states.shared })
      at = end
    }
    return at < to ? [...pieces, { from: at, to, state: states.alone }] : pieces
  })
}
