import type { UrlField } from '../../url-state.ts'

export const spans = {
  '5m': 5 * 60_000,
  '1h': 3_600_000,
  '6h': 6 * 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  '1y': 365 * 86_400_000,
}

export type Span = keyof typeof spans

/** The last hours up to now, or from one time to another. */
export type TimeRange = { kind: 'last'; span: Span } | { kind: 'fixed'; fromMs: number; toMs: number }

/** A time range in the address: `1h`, or `2026-11-22T08:00:00.000Z..2026-11-22T09:00:00.000Z`. */
export const timeRange = (byDefault: Span): UrlField<TimeRange> => ({
  parse: (raw = byDefault) => {
    if (raw in spans) return { kind: 'last', span: raw as Span }
    const [fromMs, toMs] = raw.split('..').map((part) => Date.parse(part)) as [number, number?]
    if (toMs === undefined || !(fromMs < toMs)) return { kind: 'last', span: byDefault }
    return { kind: 'fixed', fromMs, toMs }
  },
  format: (range) => {
    if (range.kind === 'last') return range.span === byDefault ? undefined : range.span
    return `${new Date(range.fromMs).toISOString()}..${new Date(range.toMs).toISOString()}`
  },
})

export function resolveRange(range: TimeRange, nowMs: number): { fromMs: number; toMs: number } {
  if (range.kind === 'fixed') return range
  return { fromMs: nowMs - spans[range.span], toMs: nowMs }
}

/** What a field `datetime-local` shows for a moment, in a zone. */
export function writeLocal(atMs: number, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return format.format(atMs).replace(' ', 'T')
}

/**
 * The moment of a local time in a zone. A time that the clock skips is the moment after the gap; of a time that it shows
 * twice, the first.
 */
export function readLocal(text: string, zone: string): number {
  const asUtc = Date.parse(`${text}Z`)
  const offset = (atMs: number) => Date.parse(`${writeLocal(atMs, zone)}Z`) - Math.floor(atMs / 1000) * 1000
  const [early, late] = [asUtc - offset(asUtc - 86_400_000), asUtc - offset(asUtc + 86_400_000)]
  const candidates = [early, late].toSorted((a, b) => a - b)
  return candidates.find((atMs) => atMs + offset(atMs) === asUtc) ?? early
}
