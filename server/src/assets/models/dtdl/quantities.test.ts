/** Quantities and units: which of them DTDL knows, and where they are allowed. */
import { expect, test } from 'vitest'
import { having, readIssues, quantities, telemetry, temperature } from '../../../../test/harness/dtdl.ts'

const objectTelemetry = (...fields: unknown[]) => telemetry({ '@type': 'Object', fields })

test.each([
  [
    'a unit that DTDL does not know',
    having(telemetry('long', { unit: 'furlong' })),
    'definition.contents.0.unit',
  ],
  ['a unit of another quantity', having({ ...temperature, unit: 'pascal' }, 2), 'definition.contents.0.unit'],
  [
    'a unit of another quantity in v3',
    { ...having({ ...temperature, unit: 'pascal' }), '@context': quantities },
    'definition.contents.0.unit',
  ],
  [
    'two quantities',
    having({ ...temperature, '@type': ['Telemetry', 'Temperature', 'Pressure'] }, 2),
    'definition.contents.0.@type',
  ],
  [
    'a quantity that is not a number',
    having({ ...temperature, schema: 'string' }, 2),
    'definition.contents.0.schema',
  ],
  [
    'a quantity of a command',
    having({ '@type': ['Command', 'Temperature'], name: 'c' }, 2),
    'definition.contents.0.@type',
  ],
  [
    'a quantity of a field in v2',
    having(objectTelemetry({ '@type': ['Field', 'Temperature'], name: 'a', schema: 'long' }), 2),
    'definition.contents.0.schema.fields.0.@type',
  ],
  [
    'a type of DTDL as a semantic type',
    having({ ...temperature, '@type': ['Telemetry', 'Enum'] }, 2),
    'definition.contents.0.@type',
  ],
  [
    'a semantic type of v3 that is neither a term nor a DTMI',
    { ...having({ ...temperature, '@type': ['Telemetry', 'not a type'] }), '@context': quantities },
    'definition.contents.0.@type',
  ],
])('%s is refused, at its place', (_what, definition, path) => {
  expect(readIssues(definition).map((issue) => issue.path)).toEqual([path])
})
