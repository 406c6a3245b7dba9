/** The default format: one JSON object, which is the telemetry object itself. [docs/mqtt#telemetry] */
import { parseJsonObject } from '../json-object.ts'
import { format, type Reading } from './parser.ts'
import { noOptions } from './no-options.ts'
import { readObject } from './read-object.ts'

export const parseJson = (payload: Buffer): Reading[] => [readObject(parseJsonObject(payload))]

export const json = format({
  options: noOptions,
  example: { payload: '{"temperature": 21.5, "open": true, "timestamp": "2026-01-31T08:00:00Z"}' },
  compile: () => parseJson,
})
