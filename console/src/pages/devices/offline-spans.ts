import type { Range } from '../../charts/time/range.ts'
import type { ConnectionEvent } from './use-connections.ts'

/** Spans of a range in which no session of a device was open. The last event determines the present state. */
export function listOfflineSpans(events: ConnectionEvent[], { from, to }: Range): Range[] {
  const spans: Range[] = []
  let until = to
  // The newest event comes first.
  for (const { event, at } of events) {
    const atMs = Date.parse(at)
    if (event === 'disconnected' && atMs < until) spans.push({ from: Math.max(from, atMs), to: until })
    until = Math.min(until, atMs)
    if (atMs < from) break
  }
  return spans
}
