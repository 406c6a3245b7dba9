/** The default format: one JSON object, which is the telemetry object itself. [docs/mqtt#telemetry] */
import { parseJsonObject } from '../json-object.ts'
import { MAX_SIGNALS } from '../signal-limit.ts'
import { format, type Reading } from './parser.ts'
import { noOptions } from './no-options.ts'
import { readObject } from './read-object.ts'

/** One key more than the maximum number of signals, since one key may be the timestamp. */
const MAX_KEYS = MAX_SIGNALS + 1

export const parseJson = (payload: Buffer): Reading[] => [readObject(parseJsonObject(payload, MAX_KEYS))]

export const json = format({
  options: noOptions,
  example: { payload: '{"temperature": 21.5, "open": true, "timestamp": "2026-01-31T08:00:00Z"}' },
  compile: () => parseJson,
})
