import { encode } from 'cborg'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catchRefusal } from '../../../test/harness/parse.ts'
import { expectLinearGrowth } from '../../../test/harness/processor-time.ts'
import { dsmr50, landisGyrE350 } from '../../../test/harness/telegrams.ts'
import { readPayload } from '../read-payload.ts'
import { UnreadableError } from '../unreadable.ts'
import { createParsers, parserExamples } from './parsers.ts'

const parsers = createParsers()
const issues = (...expected: { path: string; message?: unknown }[]) =>
  expect.objectContaining({
    code: 'validation_error',
    details: { issues: expect.arrayContaining(expected.map((issue) => expect.objectContaining(issue))) },
  })

test('the default parser is json, and equal parsers are compiled once', () => {
  const payload = Buffer.from('{"a": 1}')
  expect(parsers.of(undefined, '')(payload)).toEqual(parsers.of({ name: 'json' }, '')(payload))
  const spec = () => ({ name: 'jmespath', options: { expression: '{b: a}' } })
  expect(parsers.of(spec(), '')).toBe(parsers.of(spec(), ''))
})

test.each([
  ['a name alone', 'json', 'parser'],
  ['null', null, 'parser'],
  ['no name', {}, 'parser'],
  ['an unknown name', { name: 'xml' }, 'parser.name'],
  ['a name that every object has', { name: 'constructor' }, 'parser.name'],
  ['options that are no object', { name: 'json', options: [] }, 'parser.options'],
  [
    'options that json does not have',
    { name: 'json', options: { precision: 'ms' } },
    'parser.options.precision',
  ],
  ['a misspelt option', { name: 'influx-line', options: { precison: 'ms' } }, 'parser.options.precison'],
  ['an unknown precision', { name: 'influx-line', options: { precision: 'm' } }, 'parser.options.precision'],
  [
    'an offset as text',
    { name: 'obis', options: { utcOffsetMinutes: '60' } },
    'parser.options.utcOffsetMinutes',
  ],
  ['no expression', { name: 'jmespath' }, 'parser.options'],
  ['an empty expression', { name: 'jmespath', options: { expression: '' } }, 'parser.options.expression'],
  ['a wrong expression', { name: 'jmespath', options: { expression: 'a.' } }, 'parser.options.expression'],
])('%s is a validation error with its path', (_what, spec, path) => {
  expect(() => parsers.of(spec, 'parser')).toThrow(issues({ path }))
})

test('an invalid stored parser refuses every payload with the reason', () => {
  const parse = parsers.ofStored({ name: 'xml' })
  const refusal = catchRefusal(() => parse(Buffer.from('{}')))
  expect(refusal.reason).toBe('parser_unusable')
  expect(refusal.message).toContain('name')
  expect(parsers.ofStored(null)(Buffer.from('{"a": 1}'))).toHaveLength(1)
})

test.each(Object.entries(parserExamples))('%s reads its own example', (name, { payload, options }) => {
  const readings = readPayload(parsers.of({ name, options }, ''), Buffer.from(payload as string))
  expect(readings.flatMap(({ names }) => names).length).toBeGreaterThan(0)
})

const specs: { name: string; options?: object }[] = [
  ...Object.entries(parserExamples).map(([name, { options }]) => ({
    name,
    options: options as object | undefined,
  })),
  ...[
    '@',
    '*.{a: @}',
    '[].{timestamp: t, v: v}',
    '{a: keys(@), b: !@, c: to_string(@)}',
    'sort_by(@, &a)',
  ].map((expression) => ({ name: 'jmespath', options: { expression } })),
]
const samples = Object.values(parserExamples).map(({ payload }) => Buffer.from(payload as string))

const odd = [
  0,
  -1,
  1e300,
  2 ** 28,
  1.5,
  '',
  '\u0000',
  '__proto__',
  'constructor',
  '2026-01-31T08:00:00Z',
  null,
  true,
  {},
  [],
]
const names = [
  'n',
  'bn',
  'v',
  'vs',
  't',
  'bt',
  's',
  'metrics',
  'name',
  'value',
  'timestamp',
  '__proto__',
  'hasOwnProperty',
  'a',
]
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(...odd),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
})).value

/** Pieces of each format in any order, so that many payloads pass the first checks. */
const telegramPieces = [
  '/X5\r\n\r\n',
  '1-0:1.8.1(',
  '0-0:1.0.0(',
  '0-1:24.3.0(',
  '210101120000S',
  '632525252525S',
]
const linePieces = [
  'm',
  ',t=',
  ' ',
  'f=',
  '1i',
  '"',
  '\\',
  '\n',
  '\r\n',
  '# ',
  '=',
  '9999999999999999999u',
  'é',
  '😀',
  '\0',
]
const pieces = [
  ...samples.flatMap((sample) => sample.toString('latin1').split(/\b/)),
  ...telegramPieces,
  '(1)',
  '*kWh',
  ')',
  '!',
  '!0000\r\n',
  '\x02',
  '\x03',
  ...linePieces,
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 30 })
  .map((parts) => parts.join(''))

/** A valid payload with some bytes changed, and truncated. */
const damaged = fc
  .tuple(
    fc.constantFrom(Buffer.from(dsmr50), Buffer.from(landisGyrE350, 'latin1'), ...samples),
    fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 4 }),
    fc.nat(2000),
  )
  .map(([sample, changes, length]) => {
    const bytes = Buffer.from(sample)
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte
    return bytes.subarray(0, length)
  })

const payloads = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  json.map((value) => Buffer.from(JSON.stringify(value))),
  json.map((value) => Buffer.from(encode(value))),
  text.map((string) => Buffer.from(string, 'latin1')),
  text.map((string) => Buffer.from(string)),
  damaged,
)

test.each(specs)('%j reads or refuses any payload', (spec) => {
  const parse = parsers.of(spec, '')
  fc.assert(
    fc.property(payloads, (payload) => {
      try {
        for (const { timeMs, ageMs, names: found, values } of readPayload(parse, payload)) {
          expect(values).toHaveLength(found.length)
          expect(Number.isInteger(timeMs ?? ageMs ?? 0)).toBe(true)
          if (timeMs !== undefined) expect(new Date(timeMs).toISOString()).toMatch(/^\d{4}-/)
        }
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error
        expect(error.message).toMatch(/^[^\0]{10,600}\.$/s)
        expect(error.message.isWellFormed()).toBe(true)
      }
    }),
    { numRuns: 1000 },
  )
})

type Worst = [name: string, makePayload: (bytes: number) => string | Buffer, options?: unknown]

/** The example and its parts, repeated. */
const repeatedExamples = Object.entries(parserExamples).flatMap(([name, { payload, options }]): Worst[] => {
  const sample = Buffer.from(payload as string)
  const middle = sample.subarray(sample.length / 3, sample.length - 1)
  return [
    [name, (bytes) => Buffer.alloc(bytes, sample), options],
    [
      name,
      (bytes) => Buffer.concat([sample.subarray(0, sample.length / 3), Buffer.alloc(bytes, middle)]),
      options,
    ],
  ]
})

/** Payloads of about as many bytes. */
const worst: Worst[] = [
  ...repeatedExamples,
  ['json', (bytes) => `{"a":${'['.repeat(bytes)}`],
  ['json', (bytes) => `{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`],
  ['json', (bytes) => `{"${'a'.repeat(bytes / 2)}"${':'.repeat(bytes / 2)}`],
  ['structured-metrics', (bytes) => `{"metrics":[${'{"name":"a","value":1},'.repeat(bytes / 24)}{}]}`],
  ['senml', (bytes) => `[${'{"n":"a","v":1},'.repeat(bytes / 16)}{}]`],
  ['senml', (bytes) => `[{"bn":"${'a'.repeat(bytes)}"},{"n":"b","v":1}]`],
  ['senml', (bytes) => `[{"bn":"${'a'.repeat(bytes / 2)}"}${',{"n":"b","v":1}'.repeat(bytes / 34)}]`],
  ['influx-line', (bytes) => 'm f=1 \n'.repeat(bytes / 7)],
  ['influx-line', (bytes) => `m f="${'\\'.repeat(bytes)}`],
  ['influx-line', (bytes) => 'm,a=b'.repeat(bytes / 5)],
  ['influx-line', (bytes) => `m${',a=b'.repeat(bytes / 4)} f=1`],
  ['influx-line', (bytes) => '#\n'.repeat(bytes / 2)],
  ['obis', (bytes) => `/X\r\n\r\n${'1.8.0(1)'.repeat(bytes / 8)}\r\n!\r\n`],
  ['obis', (bytes) => `/X\r\n\r\n${'('.repeat(bytes)}\r\n!\r\n`],
  ['obis', (bytes) => `/X\r\n\r\n1.8.0${'(210101120000S)'.repeat(bytes / 15)}\r\n!\r\n`],
  ['obis', (bytes) => ' '.repeat(bytes)],
  ['obis', (bytes) => `/X\r\n\r\n${' \r\n'.repeat(bytes / 3)}x`],
  ['cbor', (bytes) => Buffer.alloc(bytes, 0x81)],
  ['cbor', (bytes) => Buffer.alloc(bytes, 0xa1)],
  ['cbor', (bytes) => Buffer.alloc(bytes, 0x9f)],
  ['cbor', (bytes) => cborChunk(Buffer.alloc(bytes, 0xff))],
]

/** A map whose value is a text of unknown length that begins with these bytes. */
function cborChunk(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([Buffer.from('a16161c25a', 'hex'), length, bytes])
}

test.each(worst)(
  'the work of %s grows linearly with the size of its worst payload',
  (name, makePayload, options) => {
    const parse = parsers.of({ name, options }, '')
    const read = (size: number) => {
      const payload = Buffer.from(makePayload(size))
      return () => {
        try {
          readPayload(parse, payload)
        } catch (error) {
          if (!(error instanceof UnreadableError)) throw error
        }
      }
    }
    expectLinearGrowth(read, 1024 * 1024)
  },
)
