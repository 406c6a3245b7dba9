/** Reads the request of a historical query and checks it field by field. [docs/telemetry#queries] */
import type { Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { parseDuration } from '../../lib/duration.ts'
import { findDatabaseZone } from '../../lib/time-zone.ts'
import { type Interval, convertDuration } from './interval.ts'
import { isRolledUp, type RequestedQuery } from './query.ts'
import { chooseInterval } from './resolution.ts'
import { DEFAULT_MAX_POINTS, type TimeseriesRequest } from '../schema.ts'
import { parseTimestamp, timestampHint } from '../timestamp.ts'
import { parseWhere } from '../where-clause/parse.ts'

type Request = Static<typeof TimeseriesRequest>

/**
 * @param rolledUpBeforeMs see `TimeseriesQuery`
 * @throws validation_error with every field that is wrong
 */
export function readQuery(request: Request, rolledUpBeforeMs?: number): RequestedQuery {
  const issues: Issue[] = []
  const from = readTimestamp(request, 'searchSpanFrom', issues)
  const to = readTimestamp(request, 'searchSpanTo', issues)
  if (from > to) issues.push({ path: 'searchSpanTo', message: 'must not lie before searchSpanFrom' })
  if ((request.assetId === undefined) === (request.assetIds === undefined))
    issues.push({ path: 'assetId', message: 'is required, or assetIds in its place' })
  const { aggregations, intervalText } = readAggregations(
    request,
    { from, to, isRolledUp: isRolledUp({ from, rolledUpBeforeMs }) },
    issues,
  )
  if (issues.length > 0) throw validationError(...issues)
  const where = request.whereClause === undefined ? undefined : parseWhere(request.whereClause)
  return { names: request.timeseriesName, from, to, aggregations, intervalText, where, rolledUpBeforeMs }
}

function readTimestamp(request: Request, field: 'searchSpanFrom' | 'searchSpanTo', issues: Issue[]): number {
  const time = parseTimestamp(request[field])
  if (time === undefined) issues.push({ path: field, message: `must be ${timestampHint}` })
  return time ?? Number.NaN
}

function readAggregations(
  request: Request,
  span: { from: number; to: number; isRolledUp: boolean },
  issues: Issue[],
): Pick<RequestedQuery, 'aggregations' | 'intervalText'> {
  const { aggregationType, aggregationTypes, aggregationInterval, resolution } = request
  const timeZone = findDatabaseZone(request.timeZone ?? 'UTC')
  if (timeZone === undefined)
    issues.push({ path: 'timeZone', message: 'must be an IANA time zone such as Europe/Berlin' })
  issues.push(...findContradictions(request))
  const given = aggregationInterval === undefined ? undefined : readInterval(aggregationInterval, issues)
  const { interval, text: intervalText } = resolution
    ? chooseInterval({ ...span, maxPoints: request.maxPoints ?? DEFAULT_MAX_POINTS })
    : { interval: given, text: aggregationInterval ?? '' }
  const types = aggregationTypes ?? (aggregationType === undefined ? [] : [aggregationType])
  if (types.length === 0 && (resolution || aggregationInterval !== undefined)) types.push('avg')
  return {
    aggregations: types.map((type) => ({ type, interval, timeZone: timeZone ?? 'UTC' })),
    intervalText,
  }
}

function findContradictions(request: Request): Issue[] {
  const issues: Issue[] = []
  if (request.aggregationTypes && request.aggregationType !== undefined)
    issues.push({
      path: 'aggregationTypes',
      message: 'stands in the place of aggregationType; name one of them',
    })
  if (request.resolution && request.aggregationInterval !== undefined)
    issues.push({ path: 'resolution', message: 'chooses the interval; leave aggregationInterval out' })
  if (!request.resolution && request.maxPoints !== undefined)
    issues.push({ path: 'maxPoints', message: 'needs "resolution": "auto"' })
  return issues
}

function readInterval(text: string, issues: Issue[]): Interval | undefined {
  const parsed = parseDuration(text)
  const read = 'problem' in parsed ? parsed : convertDuration(parsed.duration)
  if (!('problem' in read)) return read.interval
  issues.push({ path: 'aggregationInterval', message: read.problem })
  return undefined
}
