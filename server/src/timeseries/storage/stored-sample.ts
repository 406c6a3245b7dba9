import type { SeriesKey } from './series-key.ts'

/** A committed sample, as alarms and push receive it. */
export interface StoredSample extends SeriesKey {
  tenantId: string
  /** Milliseconds since 1970. */
  timeMs: number
  /** Any JSON value except null. */
  value: unknown
  /** When its message arrived, in milliseconds since 1970; absent where it was stored at once. */
  receivedAtMs?: number
  /** The W3C trace of the message; absent where its device named none. */
  traceparent?: string
}
