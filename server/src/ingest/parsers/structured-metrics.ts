/** `{"metrics": [{"name", "value", "timestamp"?, "unit"?}]}`. [docs/providers#payload-parsers] */
import { parseJsonObject } from '../json-object.ts'
import { UnreadableError } from '../unreadable.ts'
import { collectReadings } from './collect-readings.ts'
import { noOptions } from './no-options.ts'
import { endsPiece, format, type ReadingInPieces } from './parser.ts'
import { readTime } from './read-object.ts'

export const structuredMetrics = format({
  options: noOptions,
  example: { payload: '{"metrics": [{"name": "temperature", "value": 21.5, "unit": "Cel"}]}' },
  compile: () => parseMetrics,
})

function* parseMetrics(payload: Buffer): ReadingInPieces {
  const { metrics } = parseJsonObject(payload)
  if (!Array.isArray(metrics))
    throw new UnreadableError('bad_format', 'The payload must be {"metrics": [{"name": …, "value": …}, …]}.')
  const { add, readings } = collectReadings()
  yield
  for (const [index, metric] of metrics.entries()) {
    const { name, value, timestamp, unit } = readMetric(metric, `metrics.${index}`)
    const timeMs = timestamp === undefined ? undefined : readTime(timestamp, `metrics.${index}.timestamp`)
    add(name, value, { timeMs }, unit)
    if (endsPiece(index)) yield
  }
  return readings
}

interface Metric {
  name: string
  value: unknown
  timestamp?: unknown
  unit?: string
}

function readMetric(metric: unknown, where: string): Metric {
  const refuse = (text: string) => new UnreadableError('bad_format', `${where} ${text}.`)
  if (typeof metric !== 'object' || metric === null) throw refuse('must be an object {"name": …, "value": …}')
  const { name, value, timestamp, unit } = metric as Record<string, unknown>
  if (typeof name !== 'string') throw refuse('must have a name, as text')
  if (value === undefined) throw refuse('must have a value')
  if (unit !== undefined && typeof unit !== 'string') throw refuse('has a unit that is no text')
  return { name, value, timestamp, unit }
}
