/** Reads the request of a historical query and checks it field by field. [docs/telemetry#queries] */
import type { Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { parseDuration } from '../../lib/duration.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Aggregation } from './aggregate.ts'
import { type Interval, convertDuration } from './interval.ts'
import type { TimeseriesQuery } from './query.ts'
import type { TimeseriesRequest } from '../schema.ts'
import { parseTimestamp, timestampHint } from '../timestamp.ts'
import { parseWhere } from '../where-clause/parse.ts'

type Request = Static<typeof TimeseriesRequest>

/** @throws validation_error with every field that is wrong */
export function readQuery(request: Request): TimeseriesQuery {
  const issues: Issue[] = []
  const from = readTimestamp(request, 'searchSpanFrom', issues)
  const to = readTimestamp(request, 'searchSpanTo', issues)
  if (from > to) issues.push({ path: 'searchSpanTo', message: 'must not lie before searchSpanFrom' })
  const aggregation = readAggregation(request, issues)
  if (issues.length > 0) throw validationError(...issues)
  const where = request.whereClause === undefined ? undefined : parseWhere(request.whereClause)
  return { names: request.timeseriesName, from, to, aggregation, where }
}

function readTimestamp(request: Request, field: 'searchSpanFrom' | 'searchSpanTo', issues: Issue[]): number {
  const time = parseTimestamp(request[field])
  if (time === undefined) issues.push({ path: field, message: `must be ${timestampHint}` })
  return time ?? Number.NaN
}

function readAggregation(request: Request, issues: Issue[]): Aggregation | undefined {
  const { aggregationType, aggregationInterval, timeZone = 'UTC' } = request
  if (!isTimeZone(timeZone))
    issues.push({ path: 'timeZone', message: 'must be an IANA time zone such as Europe/Berlin' })
  const interval = aggregationInterval === undefined ? undefined : readInterval(aggregationInterval, issues)
  if (aggregationType === undefined && aggregationInterval === undefined) return undefined
  return { type: aggregationType ?? 'avg', interval, timeZone }
}

function readInterval(text: string, issues: Issue[]): Interval | undefined {
  const parsed = parseDuration(text)
  const read = 'problem' in parsed ? parsed : convertDuration(parsed.duration)
  if (!('problem' in read)) return read.interval
  issues.push({ path: 'aggregationInterval', message: read.problem })
  return undefined
}
