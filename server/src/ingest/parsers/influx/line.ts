/**
 * InfluxDB line protocol: `measurement,tag=value field=value,field=value timestamp`, one point per line.
 *
 * Signal names are `measurement.field`, followed by the tags as they were written, ordered by their keys, since points
 * that differ in a tag are different series: `cpu.idle,core=0,host=a`. A point without a timestamp is timed by its
 * arrival.
 */
import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { UnreadableError } from '../../unreadable.ts'
import { checkName, MAX_NAME_LENGTH } from '../../json-object.ts'
import { MAX_SIGNALS, tooManySignals } from '../../signal-limit.ts'
import { collectReadings } from '../collect-readings.ts'
import { parseFieldValue } from './field-value.ts'
import {
  createLineReader,
  currentLine,
  expectCharacter,
  expectSpaces,
  lineError,
  type LineReader,
  nextLine,
  readQuoted,
  readRest,
  readWord,
  skip,
} from './line-reader.ts'
import { endsPiece, format, type ReadingInPieces } from '../parser.ts'
import { epochTime } from '../read-object.ts'

const unitsPerMs = { ns: 1e6, us: 1e3, ms: 1, s: 1e-3 }
type Precision = keyof typeof unitsPerMs

export const influxLine = format({
  options: Type.Object(
    {
      precision: Type.Optional(
        Type.Enum(['ns', 'us', 'ms', 's'], { description: 'Precision of timestamps; ns if absent' }),
      ),
    },
    { additionalProperties: false },
  ),
  example: {
    payload: 'pump,hall=2 temperature=21.5,running=true 1738310400000',
    options: { precision: 'ms' },
  },
  compile:
    ({ precision = 'ns' }) =>
    (payload) =>
      parseLines(payload, precision),
})

function* parseLines(payload: Buffer, precision: Precision): ReadingInPieces {
  if (!isUtf8(payload)) throw new UnreadableError('bad_format', 'The payload is not UTF-8 text.')
  const reader = createLineReader(payload.toString())
  const { add, readings } = collectReadings()
  for (let index = 0; nextLine(reader); index++) {
    if (endsPiece(index)) yield
    const { measurement, tags, fields, timestamp } = readPoint(reader)
    const timeMs = timestamp === '' ? undefined : readTimestamp(timestamp, precision, reader)
    for (const [field, value] of fields) add(`${measurement}.${field}${tags}`, value, { timeMs })
  }
  return readings
}

function readPoint(reader: LineReader) {
  const measurement = readWord(reader, ', ').replaceAll(/\\([, ])/g, '$1')
  const tags: string[] = []
  const keys = new Set<string>()
  while (skip(reader, ',')) {
    const key = readWord(reader, ',= ')
    expectCharacter(reader, '=')
    if (keys.has(key)) throw lineError(reader, 'bad_format', `the tag ${key.slice(0, 40)} is there twice`)
    keys.add(key)
    if (keys.size > MAX_NAME_LENGTH) checkName(tags.join(''))
    tags.push(`,${key}=${readWord(reader, ',= ')}`)
  }
  expectSpaces(reader)
  const fields: [string, unknown][] = []
  do {
    if (fields.length === MAX_SIGNALS) throw tooManySignals()
    const field = readWord(reader, ',= ').replaceAll(/\\([, =])/g, '$1')
    expectCharacter(reader, '=')
    fields.push([
      field,
      skip(reader, '"') ? readQuoted(reader) : parseFieldValue(readWord(reader, ', '), reader),
    ])
  } while (skip(reader, ','))
  const timestamp = readRest(reader).trim()
  return { measurement, tags: tags.toSorted().join(''), fields, timestamp }
}

function readTimestamp(text: string, precision: Precision, reader: LineReader): number {
  const isInteger = /^-?0*\d{1,19}$/.test(text)
  if (!isInteger || BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw lineError(
      reader,
      'bad_timestamp',
      `a timestamp is a whole number of ${precision} since 1970 that fits 64 bits, not ${text.slice(0, 40)}`,
    )
  const perMs = unitsPerMs[precision]
  // Nanoseconds have more digits than a double, so they are divided as bigints; fractions of a millisecond are cut off.
  const ms = perMs > 1 ? Number(BigInt(text) / BigInt(perMs)) : Number(text) / perMs
  return epochTime(ms, `Line ${currentLine(reader)}: the timestamp`)
}
