import { encode } from 'cborg'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalOf } from '../../../test/harness/parse.ts'
import { dsmr50, landisGyrE350 } from '../../../test/harness/telegrams.ts'
import { readPayload } from '../read-payload.ts'
import { UnreadableError } from '../unreadable.ts'
import { createParsers, parserNames } from './parsers.ts'

const parsers = createParsers()
const issues = (...expected: { path: string; message?: unknown }[]) =>
  expect.objectContaining({
    code: 'validation_error',
    details: { issues: expect.arrayContaining(expected.map((issue) => expect.objectContaining(issue))) },
  })

test('without a parser it is json, and equal ones are compiled once', () => {
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

test('what is on record and wrong refuses every payload, and says why', () => {
  const parse = parsers.ofStored({ name: 'xml' })
  const refusal = refusalOf(() => parse(Buffer.from('{}')))
  expect(refusal.reason).toBe('parser_unusable')
  expect(refusal.message).toContain('name')
  expect(parsers.ofStored(null)(Buffer.from('{"a": 1}'))).toHaveLength(1)
})

const specs = parserNames
  .filter((name) => name !== 'jmespath')
  .map((name): { name: string; options?: object } => ({ name }))
  .concat(
    [
      '@',
      '*.{a: @}',
      '[].{timestamp: t, v: v}',
      '{a: keys(@), b: !@, c: to_string(@)}',
      'sort_by(@, &a)',
    ].map((expression) => ({ name: 'jmespath', options: { expression } })),
  )

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

/** Bits of each format in any order, so that much of it gets past the first look. */
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
const pieces = [...telegramPieces, '(1)', '*kWh', ')', '!', '!0000\r\n', '\x02', '\x03', ...linePieces]
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 30 })
  .map((parts) => parts.join(''))

/** A good payload with some bytes changed, and cut off somewhere. */
const damaged = fc
  .tuple(
    fc.constantFrom(
      Buffer.from(dsmr50),
      Buffer.from(landisGyrE350, 'latin1'),
      Buffer.from(encode({ a: [1, { b: 'c' }], t: -5n })),
    ),
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

test.each(specs)('%j reads any payload, or refuses it', (spec) => {
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

const large = 1024 * 1024
test.each([
  ['json', `{"a":${'['.repeat(large)}`],
  ['json', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ['structured-metrics', `{"metrics":[${'{"name":"a","value":1},'.repeat(40_000)}{}]}`],
  ['senml', `[${'{"n":"a","v":1},'.repeat(60_000)}{}]`],
  ['senml', `[{"bn":"${'a'.repeat(large)}"},{"n":"b","v":1}]`],
  ['senml', `[{"bn":"${'a'.repeat(500_000)}"}${',{"n":"b","v":1}'.repeat(30_000)}]`],
  ['influx-line', 'm f=1 \n'.repeat(100_000)],
  ['influx-line', `m f="${'\\'.repeat(large)}`],
  ['influx-line', 'm,a=b'.repeat(200_000)],
  ['influx-line', `m${',a=b'.repeat(250_000)} f=1`],
  ['influx-line', '#\n'.repeat(500_000)],
  ['obis', `/X\r\n\r\n${'1.8.0(1)'.repeat(100_000)}\r\n!\r\n`],
  ['obis', `/X\r\n\r\n${'('.repeat(large)}\r\n!\r\n`],
  ['obis', `/X\r\n\r\n1.8.0${'(210101120000S)'.repeat(60_000)}\r\n!\r\n`],
  ['obis', `${' '.repeat(large)}`],
  ['obis', `/X\r\n\r\n${' \r\n'.repeat(300_000)}x`],
  ['cbor', Buffer.alloc(large, 0x81)],
  ['cbor', Buffer.alloc(large, 0xa1)],
  ['cbor', Buffer.alloc(large, 0x9f)],
  ['cbor', Buffer.concat([Buffer.from('a16161c25a000ffff0', 'hex'), Buffer.alloc(0xffff0, 0xff)])],
])('%s with the worst that 1 MiB can hold ends within a second', (name, payload) => {
  const start = performance.now()
  try {
    readPayload(parsers.of({ name }, ''), Buffer.from(payload as string))
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
  }
  expect(performance.now() - start).toBeLessThan(1000)
})
