/** Interfaces in the schema of a component, as in models that IoT Central exports. */
import { expect, test } from 'vitest'
import { readIssues, pump, telemetry } from '../../../../test/harness/dtdl.ts'
import { resolveModel } from '../resolve.ts'
import { readInterface } from './interface.ts'

const motor = (fields: object = {}) => ({
  '@id': 'dtmi:com:example:Motor;1',
  '@type': 'Interface',
  contents: [telemetry('double', { name: 'speed' })],
  ...fields,
})
const component = (schema: unknown, name = 'motor') => ({ '@type': 'Component', name, schema })

const readNames = (definition: unknown) =>
  resolveModel(readInterface(definition), new Map()).map(({ componentId, name }) => [componentId, name])

test('the contents of an inline interface belong to the component', () => {
  expect(readNames(pump({ contents: component(motor()) }, 2))).toEqual([
    [null, 'motor'],
    ['motor', 'speed'],
  ])
})

test('another component may reference an inline interface by its id, before or after it', () => {
  const named = component('dtmi:com:example:Motor;1', 'spare')
  for (const contents of [
    [component(motor()), named],
    [named, component(motor())],
  ])
    expect(readNames(pump({ contents }))).toContainEqual(['spare', 'speed'])
})

test('an interface in a component may be of DTDL v2 in a model of v3, and has schemas of its own', () => {
  const schemas = [{ '@id': 'dtmi:com:example:Motor:s;1', '@type': 'Array', elementSchema: 'long' }]
  const contents = [telemetry('dtmi:com:example:Motor:s;1', { name: 'phases' })]
  const inline = motor({ '@context': 'dtmi:dtdl:context;2', schemas, contents })
  expect(readNames(pump({ contents: component(inline) }))).toContainEqual(['motor', 'phases'])
})

test.each([
  ['without id', pump({ contents: component(motor({ '@id': undefined })) }), '.schema.@id'],
  [
    'of the id of the model',
    pump({ contents: component(motor({ '@id': 'dtmi:com:example:Pump;1' })) }),
    '.schema.@id',
  ],
  ['with an unknown field', pump({ contents: component(motor({ shown: 1 })) }), '.schema.shown'],
  [
    'that names a schema of the model around it',
    pump({
      schemas: [{ '@id': 'dtmi:com:example:s;1', '@type': 'Array', elementSchema: 'long' }],
      contents: component(motor({ contents: telemetry('dtmi:com:example:s;1') })),
    }),
    '.schema.contents.schema',
  ],
])('one %s is refused, at its place', (_what, definition, path) => {
  expect(readIssues(definition).map((issue) => issue.path)).toEqual([`definition.contents${path}`])
})

test('a component within a component is refused', () => {
  const outer = motor({ contents: [component(motor({ '@id': 'dtmi:com:example:Rotor;1' }), 'rotor')] })
  expect(readIssues(pump({ contents: [component(outer)] })).map(({ path }) => path)).toEqual([
    'definition.contents.0.schema.contents.0.schema',
  ])
  const named = motor({ contents: [component('dtmi:com:example:Rotor;1', 'rotor')] })
  expect(() => readNames(pump({ contents: [component(named)] }))).toThrow(/cannot contain another/)
})

test('the nesting depth of inline interfaces is limited', () => {
  const nested = (depth: number): object =>
    motor({
      '@id': `dtmi:com:example:Motor${depth};1`,
      extends: depth === 0 ? [] : [nested(depth - 1)],
      contents: [],
    })
  expect(readIssues(pump({ contents: component(nested(12)) }))[0]?.message).toMatch(
    /deeper than 10 interfaces/,
  )
})

test('the size of an interface counts for each component that references it', () => {
  const long = Array.from({ length: 900 }, (_, i) => telemetry('long', { name: `t${i}` }))
  const contents = Array.from({ length: 12 }, (_, i) =>
    component(i === 0 ? motor({ contents: long }) : 'dtmi:com:example:Motor;1', `m${i}`),
  )
  expect(() => readNames(pump({ contents }))).toThrow(/makes the model too large/)
})
