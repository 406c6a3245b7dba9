import type { SeriesKey } from './series-key.ts'

/** A sample that is committed, for whoever comes after the store: alarms and push. */
export interface StoredSample extends SeriesKey {
  tenantId: string
  /** Milliseconds since 1970. */
  timeMs: number
  /** What JSON can hold, but for null. */
  value: unknown
}
