/** Contexts: extensions of DTDL and of IoT Central, and elements with their own context. */
import { expect, test } from 'vitest'
import { having, readIssues, pump, quantities, telemetry } from '../../../../test/harness/dtdl.ts'
import { readInterface } from './interface.ts'

const v3 = 'dtmi:dtdl:context;3'
const central = ['dtmi:iotcentral:context;2', 'dtmi:dtdl:context;2']
const extension = (name: string) => `dtmi:dtdl:extension:${name};1`

/** A pump with this one content, in these contexts. */
const within = (contexts: unknown, content: object) => ({ ...having(content), '@context': contexts })
const typed = (types: string[], fields: object = {}, schema: unknown = 'double') =>
  telemetry(schema, { '@type': ['Telemetry', ...types], ...fields })
const property = (types: string[], fields: object) => ({
  '@type': ['Property', ...types],
  name: 'p',
  schema: 'string',
  ...fields,
})
const state = {
  '@type': 'Enum',
  valueSchema: 'integer',
  enumValues: [{ name: 'on', enumValue: 1 }],
}

test.each([
  ['a context that DTDL v2 does not know', within(['dtmi:dtdl:context;2', 'dtmi:a:b;1'], telemetry('long'))],
  [
    'types and fields of such a context',
    within(['dtmi:dtdl:context;2', 'dtmi:a:b;1'], typed(['dtmi:a:Shown;1'], { shown: true })),
  ],
  [
    'fields of an extension',
    within([v3, extension('annotation')], property(['ValueAnnotation'], { annotates: 't' })),
  ],
  ['IoT Central in v3', { ...pump({}), '@context': ['dtmi:iotcentral:context;2', v3] }],
  ['a state of IoT Central', within(central, typed(['State'], {}, state))],
  ['an event of IoT Central', within(central, typed(['Event'], {}, 'string'))],
  ['a place of IoT Central', within(central, typed(['Location'], {}, 'geopoint'))],
  [
    'an acceleration of IoT Central',
    within(central, typed(['AccelerationVector'], { unit: 'gForce' }, 'vector')),
  ],
  [
    'an extension that a content names',
    having(
      telemetry('long', {
        '@context': [v3, extension('historization')],
        '@type': ['Telemetry', 'Historized'],
      }),
    ),
  ],
  ['a content of v2 in v3', having(telemetry('long', { '@context': 'dtmi:dtdl:context;2', '@note': 1 }))],
])('%s is read', (_what, definition) => {
  expect(readIssues(definition)).toEqual([])
})

test.each([
  [
    'an extension that DTDL v3 does not know',
    within([v3, extension('nothing')], telemetry('long')),
    '@context',
  ],
  [
    'a context of v2 that is no DTMI',
    within(['dtmi:dtdl:context;2', 'https://a/'], telemetry('long')),
    '@context',
  ],
  [
    'an extension before DTDL in v2',
    within([extension('historization'), 'dtmi:dtdl:context;2'], telemetry('long')),
    '@context',
  ],
  [
    '101 contexts',
    within(
      ['dtmi:dtdl:context;2', ...Array.from({ length: 100 }, (_, i) => `dtmi:a:c${i};1`)],
      telemetry('long'),
    ),
    '@context',
  ],
  ['a type that no extension has', within(quantities, typed(['Shown'])), 'contents.0.@type'],
  ['a type of an extension that is not named', having(typed(['Historized'])), 'contents.0.@type'],
  [
    'a field that the type of an extension does not have',
    within([v3, extension('historization')], typed(['Historized'], { shown: true })),
    'contents.0.shown',
  ],
  [
    'an override of telemetry',
    within([v3, extension('overriding')], typed(['Override'])),
    'contents.0.@type',
  ],
  [
    'an acceleration of IoT Central that is a number',
    within(central, typed(['AccelerationVector'])),
    'contents.0.schema',
  ],
  [
    'an event of IoT Central that is a truth',
    within(central, typed(['Event'], {}, 'boolean')),
    'contents.0.schema',
  ],
  ['vector without IoT Central', having(telemetry('vector'), 2), 'contents.0.schema'],
  ['a content of v3 in v2', having(telemetry('long', { '@context': v3 }), 2), 'contents.0.@context'],
  [
    'a field of v2 in v3',
    having(
      telemetry({
        '@type': 'Object',
        fields: [{ '@context': 'dtmi:dtdl:context;2', name: 'a', schema: 'long' }],
      }),
    ),
    'contents.0.schema.fields.0.@context',
  ],
  [
    'a schema of v2 in the schemas of v3',
    pump({
      schemas: [
        { '@context': 'dtmi:dtdl:context;2', '@id': 'dtmi:a:s;1', '@type': 'Array', elementSchema: 'long' },
      ],
    }),
    'schemas.0.@context',
  ],
])('%s is refused, at its place', (_what, definition, path) => {
  expect(readIssues(definition).map((issue) => issue.path)).toEqual([`definition.${path}`])
})

const readSchema = (definition: unknown) => {
  const [content] = readInterface(definition).contents
  return content?.kind === 'telemetry' ? content.schema : undefined
}

test('vector and geopoint of IoT Central are objects of numbers', () => {
  for (const [name, fields] of [
    ['vector', ['x', 'y', 'z']],
    ['geopoint', ['lat', 'lon', 'alt']],
  ] as const)
    expect(readSchema(within(central, telemetry(name)))).toMatchObject({
      type: 'object',
      fields: fields.map((field) => ({ name: field, schema: { type: 'double' } })),
    })
})

test('the units of a quantity are an enum schema of their names', () => {
  const units = ['degreeCelsius', 'degreeFahrenheit', 'kelvin']
  expect(readSchema(within(quantities, telemetry('TemperatureUnit')))).toMatchObject({
    type: 'enum',
    valueType: 'string',
    values: units.map((unit) => ({ name: unit, value: unit })),
  })
  expect(readIssues(having(telemetry('TemperatureUnit')))).toHaveLength(1)
})

const about = (types: string[], fields: object) =>
  property(['ValueAnnotation', ...types], { name: 'note', annotates: 't', ...fields })
const measured = telemetry('double', { '@type': ['Telemetry', 'Temperature'], unit: 'kelvin' })
/** A temperature, a command, and these. */
const annotated = (...contents: object[]) => ({
  ...pump({ contents: [measured, { '@type': 'Command', name: 'c' }, ...contents] }),
  '@context': [...quantities, extension('annotation'), extension('overriding'), extension('mqtt')],
})
const unit = { overrides: 'unit', schema: 'TemperatureUnit' }

test.each([
  ['an annotation', [about([], {})]],
  ['an annotation of what another interface brings', [about([], { annotates: 'inherited' })]],
  ['an override of a unit', [about(['Override'], unit)]],
  [
    'a command that can be repeated and kept',
    [{ '@type': ['Command', 'Idempotent', 'Cacheable'], name: 'k', ttl: 'PT1M' }],
  ],
])('%s is read', (_what, contents) => {
  expect(readIssues(annotated(...contents))).toEqual([])
})

test.each([
  ['an annotation of nothing', [about([], { annotates: undefined })], 'annotates'],
  ['an annotation of a number', [about([], { annotates: 5 })], 'annotates'],
  ['an annotation of a command', [about([], { annotates: 'c' })], 'annotates'],
  ['an annotation of an annotation', [about([], { annotates: 'note' })], 'annotates'],
  ['an override of a schema', [about(['Override'], { ...unit, overrides: 'schema' })], 'overrides'],
  ['an override by another quantity', [about(['Override'], { ...unit, schema: 'LengthUnit' })], 'schema'],
  ['an override that annotates nothing', [property(['Override'], unit)], '@type'],
  [
    'what is kept but cannot be repeated',
    [{ '@type': ['Command', 'Cacheable'], name: 'k', ttl: 'PT1M' }],
    '@type',
  ],
  ['an index that is a text', [typed(['Indexed'], { name: 'i', index: 'a' })], 'index'],
])('%s is refused, at its place', (_what, contents, field) => {
  expect(readIssues(annotated(...contents)).map(({ path }) => path)).toEqual([
    `definition.contents.2.${field}`,
  ])
})

test('a unit can be overridden only once', () => {
  const twice = [about(['Override'], unit), about(['Override'], { ...unit, name: 'other' })]
  expect(readIssues(annotated(...twice)).map(({ path }) => path)).toEqual(['definition.contents.3.annotates'])
})
