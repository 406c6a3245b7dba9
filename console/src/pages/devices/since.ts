/** Start of a span in the address: a length of time before now, such as `24h`, or a time. */
const spansMs = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 }
type Span = keyof typeof spansMs

export const spans = Object.keys(spansMs) as Span[]

const isSpan = (raw: string): raw is Span => raw in spansMs
export const isTime = (raw: string) => !isSpan(raw) && !Number.isNaN(Date.parse(raw))

/** @returns undefined if `raw` is neither a length of time nor a time */
export function resolveSince(raw: string, nowMs: number): string | undefined {
  if (isSpan(raw)) return new Date(nowMs - spansMs[raw]).toISOString()
  return isTime(raw) ? new Date(raw).toISOString() : undefined
}
