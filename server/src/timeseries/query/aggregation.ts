import type { AggregationType } from '../../lib/aggregation-types.ts'
import type { Interval } from './interval.ts'

export interface Aggregation {
  type: AggregationType
  /** Without an interval, the whole span is one bucket that starts with the span. */
  interval?: Interval
  /** IANA name; days and months are those of this zone. */
  timeZone: string
}
