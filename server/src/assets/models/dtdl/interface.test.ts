import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  having,
  readIssues,
  nested,
  pump,
  quantities,
  telemetry,
  temperature,
} from '../../../../test/harness/dtdl.ts'
import { readInterface, readStoredInterface } from './interface.ts'

const everything = pump({
  displayName: { en: 'Pump', de: 'Pumpe' },
  description: 'Moves water',
  extends: 'dtmi:com:example:Machine;1',
  schemas: [
    {
      '@id': 'dtmi:com:example:Pump:mode;1',
      '@type': 'Enum',
      valueSchema: 'integer',
      enumValues: [{ name: 'off', enumValue: 0, displayName: 'Off' }],
    },
  ],
  contents: [
    telemetry('double', { name: 'flow', displayName: 'Flow' }),
    telemetry('dtmi:standard:schema:geospatial:point;3', { name: 'place' }),
    { '@type': 'Property', name: 'mode', schema: 'dtmi:com:example:Pump:mode;1', writable: true },
    {
      '@type': 'Command',
      name: 'reboot',
      request: {
        name: 'options',
        schema: { '@type': 'Object', fields: [{ name: 'after', schema: 'duration' }] },
      },
    },
    { '@type': 'Component', name: 'motor', schema: 'dtmi:com:example:Motor;2' },
    {
      '@type': 'Relationship',
      name: 'feeds',
      target: 'dtmi:com:example:Tank;1',
      maxMultiplicity: 2,
      properties: [
        {
          '@type': 'Property',
          name: 'labels',
          schema: {
            '@type': 'Map',
            mapKey: { name: 'key', schema: 'string' },
            mapValue: { name: 'label', schema: { '@type': 'Array', elementSchema: 'string' } },
          },
        },
      ],
    },
  ],
})

test('all kinds of contents and schemas are read (DTDL v3)', () => {
  const none = { displayName: {}, description: {} }
  expect(readInterface(everything)).toMatchObject({
    id: 'dtmi:com:example:Pump;1',
    displayName: { en: 'Pump', de: 'Pumpe' },
    description: { en: 'Moves water' },
    extends: ['dtmi:com:example:Machine;1'],
    contents: [
      {
        kind: 'telemetry',
        name: 'flow',
        displayName: { en: 'Flow' },
        schema: { type: 'double' },
        unit: null,
      },
      { kind: 'telemetry', name: 'place', schema: { type: 'point' } },
      {
        kind: 'property',
        name: 'mode',
        writable: true,
        schema: {
          type: 'enum',
          valueType: 'integer',
          values: [{ ...none, name: 'off', displayName: { en: 'Off' }, value: 0 }],
        },
      },
      {
        kind: 'command',
        name: 'reboot',
        request: {
          name: 'options',
          schema: { type: 'object', fields: [{ name: 'after', schema: { type: 'duration' } }] },
        },
        response: null,
      },
      { kind: 'component', name: 'motor', modelId: 'dtmi:com:example:Motor;2' },
      {
        kind: 'relationship',
        name: 'feeds',
        target: 'dtmi:com:example:Tank;1',
        maxMultiplicity: 2,
        properties: [
          {
            name: 'labels',
            writable: false,
            schema: {
              type: 'map',
              keyName: 'key',
              valueName: 'label',
              value: { type: 'array', element: { type: 'string' } },
            },
          },
        ],
      },
    ],
  })
})

const historization = 'dtmi:dtdl:extension:historization;1'
/** Telemetry with a second type. */
const named = (type: string) => telemetry('double', { '@type': ['Telemetry', type] })

test.each([
  ['a semantic type in v2', having(temperature, 2)],
  ['one with its extension in v3', { ...having(temperature), '@context': quantities }],
  ['a context named twice', { ...pump({}), '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:context;3'] }],
  ['a context that a content repeats', having(telemetry('long', { '@context': 'dtmi:dtdl:context;3' }))],
  ['an empty context of a content', having(telemetry('long', { '@context': [] }))],
  [
    '@language beside @value in v2',
    having(telemetry('long', { comment: [{ '@value': 'c', '@language': 'en' }] }), 2),
  ],
  ['an enum without values in v3', having(telemetry({ '@type': 'Enum', valueSchema: 'string' }))],
  ['keywords that mean nothing in v2', having(telemetry('long', { '@language': 'en', '@note': 1 }), 2)],
  [
    'an unknown keyword beside @value in v2',
    having(telemetry('long', { comment: { '@value': 'c', '@note': 1 } }), 2),
  ],
  [
    'the type of a text in v2',
    having(telemetry('long', { displayName: [{ '@value': 'a', '@type': 'rdf:langString' }] }), 2),
  ],
  ['a semantic type of v2 that is a web address', having(named('https://example.com/Shown'), 2)],
  ['a semantic type of v2 of an older form', having(named('SemanticType/Temperature'), 2)],
  ['language tags with script and region', pump({ displayName: { 'zh-Hans-CN': 'a', 'es-419': 'b' } })],
  [
    'empty lists where a value may be left out',
    having({ '@type': 'Relationship', name: 'r', target: [], maxMultiplicity: [], writable: [] }),
  ],
  [
    'an enum and an object of nothing in v3',
    pump({
      schemas: [
        { '@id': 'dtmi:a:e;1', '@type': 'Enum', valueSchema: 'string', enumValues: [] },
        { '@id': 'dtmi:a:o;1', '@type': 'Object', fields: [] },
      ],
    }),
  ],
  [
    'a type of an extension where it belongs',
    { ...having(named('Historized')), '@context': ['dtmi:dtdl:context;3', historization] },
  ],
  ['an id of IoT Central without its context', pump({ '@id': 'dtmi:iotcentral:Pump;1' })],
  [
    'contexts of IoT Central',
    { ...pump({}), '@context': ['dtmi:iotcentral:context;2', 'dtmi:dtdl:context;2'] },
  ],
  ['an array in a property of v3', having({ '@type': 'Property', name: 'p', schema: nested(1) })],
  ['five levels of schemas', having(telemetry(nested(5)))],
  ['a version in two parts', pump({ '@id': 'dtmi:a;1.2' })],
  ['no contents', pump({})],
  [
    'an unknown semantic type of v2, with fields and units of its own',
    having({ ...temperature, '@type': ['Telemetry', 'Optional'], unit: 'x', defaultValue: 3 }, 2),
  ],
  [
    'a quantity of a field in v3',
    {
      ...having(
        telemetry({
          '@type': 'Object',
          fields: [{ '@type': ['Field', 'Angle'], name: 'a', schema: 'float', unit: 'turn' }],
        }),
      ),
      '@context': quantities,
    },
  ],
  ['a unit alone', having(telemetry('long', { unit: 'degreeCelsius' }))],
  ['one type as a list, and twice', having(telemetry('long', { '@type': ['Telemetry', 'Telemetry'] }))],
])('%s is read', (_what, definition) => {
  expect(readIssues(definition)).toEqual([])
})

const readContents = (definition: unknown) => readInterface(definition).contents

test('a single item is read as a list of one, and a list of one as its item (JSON-LD)', () => {
  const field = { name: 'f', schema: 'long' }
  const value = { name: 'v', enumValue: 1 }
  const many = (wrap: (item: unknown) => unknown) =>
    pump({
      extends: wrap('dtmi:com:example:Machine;1'),
      schemas: wrap({ '@id': 'dtmi:a:own;1', '@type': 'Object', fields: wrap(field) }),
      contents: wrap({
        '@type': wrap('Relationship'),
        name: wrap('r'),
        maxMultiplicity: wrap(2),
        writable: wrap(true),
        properties: wrap({
          '@type': 'Property',
          name: 'p',
          schema: wrap({ '@type': 'Enum', valueSchema: wrap('integer'), enumValues: wrap(value) }),
        }),
      }),
    })
  const single = readInterface(many((item) => item))
  expect(single).toMatchObject({ extends: ['dtmi:com:example:Machine;1'], contents: [{ properties: [{}] }] })
  expect(readInterface(many((item) => [item])).contents).toEqual(single.contents)
})

test('all JSON-LD forms of a text are read alike', () => {
  const english = { en: 'Pump' }
  for (const displayName of ['Pump', ['Pump'], english, [{ '@value': 'Pump', '@language': 'en' }]])
    expect(readInterface(pump({ displayName })).displayName).toEqual(english)
  const both = ['Pump', { '@value': 'Pumpe', '@language': 'de' }]
  expect(readInterface(pump({ displayName: both })).displayName).toEqual({ en: 'Pump', de: 'Pumpe' })
  const plain = having(telemetry('long', { name: 'a', comment: 'c' }))
  const literal = having(
    telemetry(
      { '@id': 'long' },
      { name: { '@value': 'a' }, comment: { '@value': 'c', '@type': 'xsd:string' } },
    ),
  )
  expect(readContents(literal)).toEqual(readContents(plain))
})

test('a term and its DTMI are read alike', () => {
  const long = {
    '@context': 'dtmi:dtdl:context;2',
    '@id': 'dtmi:com:example:Pump;1',
    '@type': 'dtmi:dtdl:class:Interface;2',
    'dtmi:dtdl:property:contents;2': [
      {
        '@type': ['dtmi:dtdl:class:Telemetry;2', 'dtmi:standard:class:Temperature;2'],
        'dtmi:dtdl:property:name;2': 't',
        'dtmi:dtdl:property:schema;2': 'dtmi:dtdl:instance:Schema:double;2',
        unit: 'dtmi:standard:unit:degreeCelsius;2',
      },
    ],
  }
  expect(readContents(long)).toEqual(readContents(having(temperature, 2)))
})

test('an inline interface in extends adds its contents and its bases', () => {
  const base = {
    '@id': 'dtmi:com:example:Machine;1',
    '@type': 'Interface',
    extends: 'dtmi:com:example:Thing;1',
    contents: telemetry('long', { name: 'hours' }),
  }
  const model = pump({ extends: ['dtmi:com:example:Rated;1', base], contents: telemetry('double') })
  expect(readInterface(model)).toMatchObject({
    extends: ['dtmi:com:example:Rated;1', 'dtmi:com:example:Thing;1'],
    contents: [{ name: 't' }, { name: 'hours' }],
  })
})

test('a stored model stays readable, even with defects that were accepted before', () => {
  const stored = [
    having(telemetry('long', { '@id': 'old', unit: 'furlong', displayName: 'x'.repeat(65) }), 2),
    having(telemetry({ '@type': 'Enum', valueSchema: 'string' }), 2),
    having(telemetry({ '@type': 'Object', fields: [] }), 2),
    {
      ...having(telemetry('double', { '@type': ['Telemetry', 'Shown'], shown: true })),
      '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:shown;1'],
    },
    having(telemetry('long', { displayName: { '@value': 'a', '@language': 'EN' } })),
    having(telemetry('long', { displayName: [{ EN: 'a' }] })),
    having(telemetry('long', { comment: { '@value': 'a', '@id': 'b' } })),
    having({ '@type': 'Property', name: 't', schema: 'long', writable: null }),
    pump({ '@id': 'dtmi:a;1.2', contents: telemetry('long') }, 2),
    { ...having(telemetry('long', { shown: true })), '@context': quantities },
    { ...having(telemetry('long')), '@context': [historization, 'dtmi:dtdl:context;3'] },
    having(telemetry('long', { 'dtmi:dtdl:property:comment;3': 'a', comment: 'b' })),
    having({ '@type': 'Relationship', name: 't', maxMultiplicity: 501 }, 2),
    having(telemetry(enumOf(101)), 2),
  ]
  for (const definition of stored) {
    expect(readIssues(definition)).not.toEqual([])
    expect(readStoredInterface(definition).contents).toMatchObject([{ name: 't' }])
  }
})

test('the limits of the platform hold for a stored model, too', () => {
  expect(() => readStoredInterface(having(telemetry(enumOf(1001)), 2))).toThrow('enumValues')
})

const enumOf = (count: number) => ({
  '@type': 'Enum',
  valueSchema: 'integer',
  enumValues: Array.from({ length: count }, (_, index) => ({ name: `v${index}`, enumValue: index })),
})

test('problems of several contents are reported together, up to 20', () => {
  const contents = Array.from({ length: 30 }, () => telemetry('number'))
  expect(readIssues(pump({ contents: contents.slice(0, 2) })).map(({ path }) => path)).toEqual([
    'definition.contents.0.schema',
    'definition.contents.1.schema',
  ])
  expect(readIssues(pump({ contents }))).toHaveLength(20)
})

test('the size of a schema that is used many times is limited', () => {
  const object = (id: string, schema: string) => ({
    '@id': `dtmi:bomb:${id};1`,
    '@type': 'Object',
    fields: Array.from({ length: 500 }, (_, i) => ({ name: `f${i}`, schema })),
  })
  const schemas = [object('a', 'long'), object('b', 'dtmi:bomb:a;1'), object('c', 'dtmi:bomb:b;1')]
  expect(readIssues(pump({ schemas }))[0]?.message).toMatch(/more than 2097152 characters/)
})

/** The paths of all places in a document. */
const listPaths = (value: unknown): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, child]) => [
        [key],
        ...listPaths(child).map((way) => [key, ...way]),
      ])
    : []

function replaced(value: unknown, [key, ...way]: string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = replaced(copy[key], way, by)
  return copy
}

test('any value at any place is read, or refused with a path', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('Interface', 'Array', 'double', '__proto__', 'dtmi:a;1'),
  )
  fc.assert(
    fc.property(fc.constantFrom(...listPaths(everything)), odd, (way, by) => {
      for (const { path } of readIssues(replaced(everything, way, by))) expect(path).toMatch(/^definition/)
    }),
    { numRuns: 500 },
  )
})

test('a reusable schema that many contents name is read once for each depth of its use', () => {
  const mode = {
    '@id': 'dtmi:com:example:mode;1',
    '@type': 'Enum',
    valueSchema: 'integer',
    enumValues: [{ name: 'off', enumValue: 0 }],
  }
  const called = (schema: unknown, name: string) => telemetry(schema, { name })
  const inList = { '@type': 'Array', elementSchema: mode['@id'] }
  const { contents } = readInterface(
    pump({
      schemas: [mode],
      contents: [called(mode['@id'], 'a'), called(mode['@id'], 'b'), called(inList, 'c')],
    }),
  )
  const [a, b, c] = contents.map((content) => (content as { schema: unknown }).schema)
  expect(b).toBe(a)
  expect(c).toEqual({ type: 'array', element: a })
})
