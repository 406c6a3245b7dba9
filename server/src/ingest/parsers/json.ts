/**
 * The default format: an object whose keys are signal names. An optional key `timestamp` says when they were measured
 * and is no signal itself. [interface: MQTT (device protocol)]
 */
import { parseTimestamp, timestampHint } from '../../timeseries/timestamp.ts'
import { jsonObjectOf } from '../json-object.ts'
import { UnreadableError } from '../unreadable.ts'
import type { Reading } from './parser.ts'

export function parseJson(payload: Buffer): Reading[] {
  const { timestamp, ...signals } = jsonObjectOf(payload)
  return [{ timeMs: timestamp === undefined ? undefined : timeOf(timestamp), signals: Object.entries(signals) }]
}

function timeOf(timestamp: unknown): number {
  const timeMs = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (timeMs === undefined) throw new UnreadableError('bad_timestamp', `timestamp must be ${timestampHint}.`)
  return timeMs
}
