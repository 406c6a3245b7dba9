import { expect, test } from 'vitest'
import { createParse, catchRefusal } from '../../../../test/harness/parse.ts'

const parse = (expression: string, payload: unknown) =>
  createParse('jmespath', { expression })(JSON.stringify(payload))

test('the expression reshapes the payload into the telemetry object', () => {
  const payload = {
    ts: '2026-01-31T08:00:00Z',
    sensors: [
      { id: 'a', t: 21.5 },
      { id: 'b', t: 22 },
    ],
    box: { open: true },
  }
  const expression =
    "{timestamp: ts, temperature: sensors[?id=='a'].t | [0], open: box.open, all: sensors[*].t, none: nothing}"
  expect(parse(expression, payload)).toEqual([
    ['temperature', 21.5, '2026-01-31T08:00:00.000Z'],
    ['open', true, '2026-01-31T08:00:00.000Z'],
    ['all', [21.5, 22], '2026-01-31T08:00:00.000Z'],
    ['none', null, '2026-01-31T08:00:00.000Z'],
  ])
})

test('an array of telemetry objects is read one by one', () => {
  const payload = {
    rows: [
      { at: '2026-01-31T08:00:00Z', v: 1 },
      { at: '2026-01-31T08:01:00Z', v: 2 },
    ],
  }
  expect(parse('rows[*].{timestamp: at, level: v}', payload)).toEqual([
    ['level', 1, '2026-01-31T08:00:00.000Z'],
    ['level', 2, '2026-01-31T08:01:00.000Z'],
  ])
  expect(catchRefusal(() => parse('rows[*].{level: v}', payload)).reason).toBe('repeated_signal')
})

test.each([
  [
    'merge(@, {sum: sum(list)})',
    { list: [1, 2] },
    [
      ['list', [1, 2]],
      ['sum', 3],
    ],
  ],
  [
    '{a: !empty, b: full && `1`, c: empty || `2`}',
    { empty: {}, full: { x: 1 } },
    [
      ['a', true],
      ['b', 1],
      ['c', 2],
    ],
  ],
  [
    '{a: sort_by(list, &v)[-1].v, b: map(&v, list), c: max_by(list, &v).v}',
    { list: [{ v: 2 }, { v: 1 }] },
    [
      ['a', 2],
      ['b', [2, 1]],
      ['c', 2],
    ],
  ],
  [
    "{a: join('-', list), b: contains(list, 'x'), c: to_string(o), d: to_number('5')}",
    { list: ['x', 'y'], o: { k: 1 } },
    [
      ['a', 'x-y'],
      ['b', true],
      ['c', '{"k":1}'],
      ['d', 5],
    ],
  ],
])('%s', (expression, payload, values) => {
  expect(parse(expression, payload)).toEqual(values)
})

test('inherited properties of an object are not fields', () => {
  const payload = { a: 1 }
  expect(
    parse('{a: constructor, b: __proto__, c: toString, d: {x: a}.constructor, e: hasOwnProperty}', payload),
  ).toEqual([
    ['a', null],
    ['b', null],
    ['c', null],
    ['d', null],
    ['e', null],
  ])
  expect(createParse('jmespath', { expression: '@' })('{"__proto__": {"x": 1}, "constructor": 2}')).toEqual([
    ['__proto__', { x: 1 }],
    ['constructor', 2],
  ])
  expect(catchRefusal(() => parse('{a: !@}', { hasOwnProperty: 1 })).reason).toBe('bad_format')
})

test.each([
  ['no JSON', '@', '{', 'not_json'],
  ['a number as result', 'a', '{"a": 5}', 'not_an_object'],
  ['nothing as result', 'missing', '{"a": 5}', 'not_an_object'],
  ['numbers in an array as result', 'a', '{"a": [5]}', 'not_an_object'],
  ['a Unix time as timestamp', '{timestamp: a}', '{"a": 5}', 'bad_timestamp'],
  ['an argument of the wrong type', '{a: abs(a)}', '{"a": "x"}', 'bad_format'],
  ['a payload that is too deep', '@', `{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`, 'bad_value'],
])('%s is refused', (_what, expression, payload, reason) => {
  expect(catchRefusal(() => createParse('jmespath', { expression })(payload)).reason).toBe(reason)
})

const doublings = Array(30).fill('[@, @]').join(' | ')

test.each([
  ['a syntax error', 'a.', 'is no JMESPath expression'],
  ['a bracket that is not closed', 'a[', 'is no JMESPath expression'],
  ['an unknown function', 'evil(@)', 'evil()'],
  ['a function of every object', 'constructor(@)', 'constructor()'],
  ['a name that the payload gives as expression', 'map(a, b)', 'needs an expression'],
  ['an expression that is not an argument', '[&a]', 'uses &'],
  ['an expression in another function', 'to_string(&a)', 'uses &'],
  ['a separator that the payload gives', 'join(a, b)', 'needs a literal'],
  ['a prefix that the payload gives', 'starts_with(a, b)', 'needs a literal'],
  ['doubling thirty times', doublings, 'multiply'],
  ['doubling flat', Array(30).fill('[@, @][]').join(' | '), 'multiply'],
  ['doubling what a call without an argument gives', `a[*].merge() | ${doublings}`, 'multiply'],
  ['doubling what a call with only an expression gives', `a[*].map(&b) | ${doublings}`, 'multiply'],
  ['doubling what a function gives', `map(&a, @) | ${doublings}`, 'multiply'],
  ['a separator of a hundred characters', `join('${'x'.repeat(100)}', @)`, 'multiply'],
  ['quoting thirty times', `${'to_string([@] | '.repeat(30)}@${')'.repeat(30)}`, 'multiply'],
  ['a thousand brackets', `${'('.repeat(2000)}a${')'.repeat(2000)}`, undefined],
  ['four thousand negations', `${'!'.repeat(4000)}a`, undefined],
])('an expression with %s is refused when it is configured', (_what, expression, message) => {
  const compile = () => createParse('jmespath', { expression })
  if (message === undefined) return void refuseOrCompile(compile)
  expect(compile).toThrow(
    expect.objectContaining({
      code: 'validation_error',
      details: { issues: [{ path: 'options.expression', message: expect.stringContaining(message) }] },
    }),
  )
})

/** The stack may overflow or not; both must end with a result or a refusal. */
function refuseOrCompile(compile: () => unknown) {
  try {
    compile()
  } catch (error) {
    expect(error).toMatchObject({ code: 'validation_error' })
  }
}

test('an expression that repeats much of a large payload is refused for it, and accepted for a small one', () => {
  const expression = `{${Array.from({ length: 20 }, (_, index) => `k${index}: @`).join(', ')}}`
  expect(parse(expression, { a: 1 })).toHaveLength(20)
  const large = { list: Array.from({ length: 30_000 }, (_, index) => index) }
  expect(catchRefusal(() => parse(expression, large)).reason).toBe('too_much_work')
  expect(parse('{n: length(list)}', large)).toEqual([['n', 30_000]])
})

test('an object of the payload that looks like an expression is not evaluated', () => {
  const payload = { jmespathType: 'Expref', type: 'Current', children: [] }
  expect(parse('{t: type(@)}', payload)).toEqual([['t', 'expref']])
  expect(parse('{n: map(&@, [@])}', payload)).toEqual([['n', [payload]]])
})

test.each([
  ['sort_by(list, &@)', 'x'],
  ['sort_by(list, &s)[*].s', 'objects'],
  [`{${Array.from({ length: 9 }, (_, index) => `k${index}: @`).join(', ')}}`, 'x'],
  ["{a: join('-', list), b: reverse(join('', list)), c: contains(join('', list), 'aaaaaaaaaaab')}", 'x'],
  ['list[*].[@, @, @] | [] | []', 'x'],
  ["list[?@ == list || @ != 'y'] | [?@ > 'a']", 'x'],
  ['to_string(list)', 'x'],
])(
  '%s on the largest payload is refused or takes less than two seconds of processor time',
  (expression, kind) => {
    const parseText = createParse('jmespath', { expression })
    for (let length = 200_000; length > 1000; length = Math.floor(length / 1.3)) {
      const list = Array.from({ length }, (_, index) =>
        kind === 'objects' ? { s: `${(index * 7919) % 10_007}` } : 'aaaaaaa',
      )
      const payload = JSON.stringify({ list })
      const before = process.cpuUsage()
      const refusal = catchRefusal(() => parseText(payload) && parseText('{'))
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000).toBeLessThan(2000)
      if (refusal.reason !== 'too_much_work') return
    }
  },
)
