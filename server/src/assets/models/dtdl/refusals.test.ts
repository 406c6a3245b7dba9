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

const enumTelemetry = (valueSchema: unknown, ...enumValues: unknown[]) =>
  telemetry({ '@type': 'Enum', valueSchema, enumValues })
const named = (name: string, enumValue: unknown) => ({ name, enumValue })
const objectTelemetry = (...fields: unknown[]) => telemetry({ '@type': 'Object', fields })
const mapTelemetry = (keySchema: string) =>
  telemetry({
    '@type': 'Map',
    mapKey: { name: 'k', schema: keySchema },
    mapValue: { name: 'v', schema: 'long' },
  })
const own = 'dtmi:com:example:own;1'

test.each([
  ['no object', [], 'definition'],
  ['no context', pump({ '@context': undefined }), 'definition.@context'],
  ['an unknown context', pump({}, 4), 'definition.@context'],
  [
    'an unknown extension',
    pump({ '@context': ['dtmi:dtdl:context;3', 'https://example.com/'] }),
    'definition.@context',
  ],
  ['an extension before DTDL v3', pump({ '@context': quantities.toReversed() }), 'definition.@context'],
  [
    'a context of a content that the interface does not name',
    having(telemetry('long', { '@context': 'dtmi:com:example:context;1' })),
    'definition.contents.0.@context',
  ],
  ['an id with a version in two parts in v2', pump({ '@id': 'dtmi:a;1.2' }, 2), 'definition.@id'],
  [
    'an id of a content without version in v2',
    having(telemetry('long', { '@id': 'dtmi:a:b' }), 2),
    'definition.contents.0.@id',
  ],
  [
    'an id of IoT Central with its context',
    pump({
      '@id': 'dtmi:iotcentral:Pump;1',
      '@context': ['dtmi:dtdl:context;2', 'dtmi:iotcentral:context;2'],
    }),
    'definition.@id',
  ],
  ['a keyword that means nothing in v3', pump({ '@note': 1 }), 'definition.@note'],
  ['a graph in an element', having(telemetry('long', { '@graph': {} }), 2), 'definition.contents.0.@graph'],
  [
    'a field by its term and by its DTMI',
    having(telemetry('long', { comment: 'a', 'dtmi:dtdl:property:comment;3': 'a' })),
    'definition.contents.0.comment',
  ],
  [
    'a unit by its term and by its DTMI',
    {
      ...having({
        ...temperature,
        'dtmi:dtdl:extension:quantitativeTypes:v1:property:unit': 'degreeCelsius',
      }),
      '@context': quantities,
    },
    'definition.contents.0.unit',
  ],
  [
    'a field of an extension without a type of it',
    { ...having(telemetry('long', { shown: true })), '@context': quantities },
    'definition.contents.0.shown',
  ],
  [
    'null where a value may be left out',
    having({ '@type': 'Property', name: 'p', schema: 'long', writable: null }),
    'definition.contents.0.writable',
  ],
  ...['@context', '@graph', '@id', 'other'].map((key): [string, object, string] => [
    `${key} beside @value`,
    having({ '@type': 'Relationship', name: 'r', maxMultiplicity: [{ '@value': 5, [key]: 'a' }] }, 2),
    `definition.contents.0.maxMultiplicity.${key}`,
  ]),
  [
    'an unknown keyword beside @value in v3',
    having(telemetry('long', { name: { '@value': 'a', '@note': 1 } })),
    'definition.contents.0.name.@note',
  ],
  [
    'the type of a text in v3',
    pump({ displayName: [{ '@value': 'a', '@type': 'rdf:langString' }] }),
    'definition.displayName.0.@type',
  ],
  [
    'a text and its language outside a list',
    pump({ displayName: { '@value': 'a', '@language': 'en' } }),
    'definition.displayName',
  ],
  ['texts by language within a list', pump({ displayName: [{ en: 'a' }] }), 'definition.displayName.0'],
  ['a language tag in capitals', pump({ displayName: { EN: 'a' } }), 'definition.displayName.EN'],
  [
    'an enum without values in v2',
    having(telemetry({ '@type': 'Enum', valueSchema: 'string' }), 2),
    'definition.contents.0.schema.enumValues',
  ],
  [
    'an enum of no values in v2',
    having(enumTelemetry('string'), 2),
    'definition.contents.0.schema.enumValues',
  ],
  [
    'an object without fields in v2',
    having(telemetry({ '@type': 'Object' }), 2),
    'definition.contents.0.schema.fields',
  ],
  ['an object of no fields in v2', having(objectTelemetry(), 2), 'definition.contents.0.schema.fields'],
  ...['displayName', 'SemanticType', 'TemperatureUnit', 'dtmi:dtdl:property:name;2', 'dtmi:a//b'].map(
    (type): [string, object, string] => [
      `${type} as a semantic type of v2`,
      having(telemetry('long', { '@type': ['Telemetry', type] }), 2),
      'definition.contents.0.@type',
    ],
  ),
  [
    'a type of an extension on what cannot have it',
    {
      ...having({ '@type': ['Command', 'Historized'], name: 'c' }),
      '@context': ['dtmi:dtdl:context;3', 'dtmi:dtdl:extension:historization;1'],
    },
    'definition.contents.0.@type',
  ],
  [
    'a type of an extension of v3 in v2',
    {
      ...having(telemetry('long', { '@type': ['Telemetry', 'Historized'] }), 2),
      '@context': ['dtmi:dtdl:context;2', 'dtmi:dtdl:extension:historization;1'],
    },
    'definition.contents.0.@type',
  ],
  [
    '101 types',
    having(
      telemetry('long', { '@type': ['Telemetry', ...Array.from({ length: 100 }, (_, i) => `T${i}`)] }),
      2,
    ),
    'definition.contents.0.@type',
  ],
  ['another type', pump({ '@type': 'Telemetry' }), 'definition.@type'],
  ['no id', pump({ '@id': undefined }), 'definition.@id'],
  ['an id that is not a DTMI', pump({ '@id': 'pump-7' }), 'definition.@id'],
  ['an id without version', pump({ '@id': 'dtmi:com:example:Pump' }), 'definition.@id'],
  ['a reserved id', pump({ '@id': 'dtmi:dtdl:Pump;1' }), 'definition.@id'],
  ['an id of 129 characters', pump({ '@id': `dtmi:${'a'.repeat(122)};1` }), 'definition.@id'],
  ['an unknown field', pump({ content: [] }), 'definition.content'],
  [
    '__proto__ as a field',
    JSON.parse(JSON.stringify(pump({})).replace('{', '{"__proto__":{},')),
    'definition.__proto__',
  ],
  ['contents that are no element', pump({ contents: 7 }), 'definition.contents'],
  ['a single content without type', pump({ contents: { name: 't' } }), 'definition.contents.@type'],
  ['1,001 contents', pump({ contents: Array.from({ length: 1001 }, () => ({})) }), 'definition.contents'],
  ['a content of no kind', having({ name: 't' }), 'definition.contents.0.@type'],
  ['a content of another kind', having({ '@type': 'Interface', name: 't' }), 'definition.contents.0.@type'],
  [
    'a content of two kinds',
    having({ '@type': ['Telemetry', 'Property'], name: 't' }),
    'definition.contents.0.@type',
  ],
  ['a semantic type without its extension in v3', having(temperature), 'definition.contents.0.@type'],
  [
    'a content without name',
    having({ '@type': 'Telemetry', schema: 'double' }),
    'definition.contents.0.name',
  ],
  ['a name with a dot', having(telemetry('double', { name: 'a.b' })), 'definition.contents.0.name'],
  ['a name that begins with _', having(telemetry('double', { name: '_a' })), 'definition.contents.0.name'],
  ['a name that ends with _', having(telemetry('double', { name: 'a_' })), 'definition.contents.0.name'],
  [
    'a name of 65 characters in v2',
    having(telemetry('double', { name: 'a'.repeat(65) }), 2),
    'definition.contents.0.name',
  ],
  ['two of one name', pump({ contents: [telemetry('long'), telemetry('long')] }), 'definition.contents'],
  ['a telemetry without schema', having({ '@type': 'Telemetry', name: 't' }), 'definition.contents.0.schema'],
  ['a schema that is not known', having(telemetry('number')), 'definition.contents.0.schema'],
  ['a schema of Object.prototype', having(telemetry('constructor')), 'definition.contents.0.schema'],
  ['a reference to no schema', having(telemetry('dtmi:a:b;1')), 'definition.contents.0.schema'],
  ['a schema that is a number', having(telemetry(7)), 'definition.contents.0.schema'],
  ['writable telemetry', having(telemetry('long', { writable: true })), 'definition.contents.0.writable'],
  [
    'writable as text',
    having({ '@type': 'Property', name: 'p', schema: 'long', writable: 'true' }),
    'definition.contents.0.writable',
  ],
  [
    'an array in a property of v2',
    having({ '@type': 'Property', name: 'p', schema: nested(1) }, 2),
    'definition.contents.0.schema',
  ],
  [
    'a geometry in a property of v2',
    having({ '@type': 'Property', name: 'p', schema: 'point' }, 2),
    'definition.contents.0.schema',
  ],
  [
    'a command request without schema',
    having({ '@type': 'Command', name: 'c', request: { name: 'r' } }),
    'definition.contents.0.request.schema',
  ],
  [
    'a component of no model',
    having({ '@type': 'Component', name: 'c', schema: 'double' }),
    'definition.contents.0.schema',
  ],
  [
    'an enum value of more than 32 bits',
    having(enumTelemetry('integer', named('a', 2 ** 31))),
    'definition.contents.0.schema.enumValues.0.enumValue',
  ],
  [
    'a term of another version of DTDL',
    having(telemetry('long', { 'dtmi:dtdl:property:comment;2': 'a' })),
    'definition.contents.0.dtmi:dtdl:property:comment;2',
  ],
  [
    'a truth that is null',
    having({ '@type': 'Property', name: 'p', schema: 'long', writable: { '@value': null } }),
    'definition.contents.0.writable',
  ],
  ['an id that is not text', pump({ '@id': ['dtmi:a;1'] }), 'definition.@id'],
  [
    'a text of a language that is null',
    pump({ displayName: [{ '@value': 'a', '@language': null }] }),
    'definition.displayName.0',
  ],
  [
    'a relationship of at least one',
    having({ '@type': 'Relationship', name: 'r', minMultiplicity: 1 }),
    'definition.contents.0.minMultiplicity',
  ],
  [
    'a relationship of at most none',
    having({ '@type': 'Relationship', name: 'r', maxMultiplicity: 0 }),
    'definition.contents.0.maxMultiplicity',
  ],
  ['an enum of doubles', having(enumTelemetry('double')), 'definition.contents.0.schema.valueSchema'],
  [
    'an enum value of another type',
    having(enumTelemetry('integer', named('a', 'x'))),
    'definition.contents.0.schema.enumValues.0.enumValue',
  ],
  [
    'an enum with half a number',
    having(enumTelemetry('integer', named('a', 0.5))),
    'definition.contents.0.schema.enumValues.0.enumValue',
  ],
  [
    'an enum with one value twice',
    having(enumTelemetry('integer', named('a', 1), named('b', 1))),
    'definition.contents.0.schema.enumValues',
  ],
  [
    'an enum with one name twice',
    having(enumTelemetry('string', named('a', 'x'), named('a', 'y'))),
    'definition.contents.0.schema.enumValues',
  ],
  [
    'an object with one field twice',
    having(objectTelemetry({ name: 'a', schema: 'long' }, { name: 'a', schema: 'long' })),
    'definition.contents.0.schema.fields',
  ],
  ['a map by numbers', having(mapTelemetry('integer')), 'definition.contents.0.schema.mapKey.schema'],
  ['an empty array', having(telemetry({ '@type': 'Array' })), 'definition.contents.0.schema.elementSchema'],
  [
    'six levels of schemas',
    having(telemetry(nested(6))),
    `definition.contents.0.schema${'.elementSchema'.repeat(5)}`,
  ],
  [
    'a schema within itself',
    pump({ schemas: [{ '@id': own, '@type': 'Array', elementSchema: own }] }),
    'definition.schemas.0',
  ],
  [
    'a schema without id',
    pump({ schemas: [{ '@type': 'Array', elementSchema: 'long' }] }),
    'definition.schemas.0.@id',
  ],
  [
    'a content whose id is not a DTMI',
    having(telemetry('long', { '@id': 'temperature' })),
    'definition.contents.0.@id',
  ],
  [
    'an enum value whose id is not a DTMI',
    having(enumTelemetry('integer', { '@id': 'urn:a', name: 'a', enumValue: 1 })),
    'definition.contents.0.schema.enumValues.0.@id',
  ],
  [
    'a content of a reserved id',
    having(telemetry('long', { '@id': 'dtmi:dtdl:a;1' })),
    'definition.contents.0.@id',
  ],
  [
    'an id that is given twice',
    pump({
      contents: [telemetry('long', { '@id': own }), telemetry('long', { '@id': own, name: 'u' })],
    }),
    'definition.contents.1.@id',
  ],
  [
    'a name of a schema that is a number',
    having(telemetry({ '@type': 'Array', elementSchema: 'long', displayName: 7 })),
    'definition.contents.0.schema.displayName',
  ],
  [
    'a description of a schema that is a list of numbers',
    having(telemetry({ '@type': 'Array', elementSchema: 'long', description: [7] })),
    'definition.contents.0.schema.description.0',
  ],
  [
    'a name of 65 characters to show in v2',
    having(telemetry('long', { displayName: { en: 'x'.repeat(65) } }), 2),
    'definition.contents.0.displayName.en',
  ],
  [
    'two texts of one language',
    pump({ displayName: ['a', { '@value': 'b', '@language': 'en' }] }),
    'definition.displayName.1',
  ],
  [
    'a command of another type',
    having({ '@type': 'Command', name: 'c', commandType: 'later' }),
    'definition.contents.0.commandType',
  ],
  [
    'a number where a text is due, as JSON-LD writes it',
    having(telemetry('long', { comment: { '@value': 7 } })),
    'definition.contents.0.comment',
  ],
  [
    'a text that says that it is a number',
    having(telemetry('long', { comment: { '@value': 'a', '@type': 'xsd:integer' } })),
    'definition.contents.0.comment.@type',
  ],
  [
    'two values of a truth',
    having({ '@type': 'Property', name: 'p', schema: 'long', writable: [true, false] }),
    'definition.contents.0.writable',
  ],
  [
    '501 targets in v2',
    having({ '@type': 'Relationship', name: 'r', maxMultiplicity: 501 }, 2),
    'definition.contents.0.maxMultiplicity',
  ],
  [
    '301 contents in v2',
    pump({ contents: Array.from({ length: 301 }, () => ({})) }, 2),
    'definition.contents',
  ],
  [
    'a name that an interface in extends has, too',
    pump({ contents: telemetry('long'), extends: { ...having(telemetry('long')), '@id': own } }),
    'definition.contents',
  ],
  [
    'an interface in extends without id',
    pump({ extends: { '@type': 'Interface' } }),
    'definition.extends.@id',
  ],
  [
    'an interface of v3 in extends of one of v2',
    pump({ extends: [{ ...pump({}, 3), '@id': own }] }, 2),
    'definition.extends.0.@context',
  ],
  ['a base that is not a DTMI', pump({ extends: ['Machine'] }), 'definition.extends.0'],
  ['a base twice', pump({ extends: ['dtmi:a;1', 'dtmi:a;1'] }), 'definition.extends'],
  ['three bases in v2', pump({ extends: ['dtmi:a;1', 'dtmi:b;1', 'dtmi:c;1'] }, 2), 'definition.extends'],
  ['a name in no language', pump({ displayName: { _: 'x' } }), 'definition.displayName._'],
  ['a name that is a number', pump({ displayName: 7 }), 'definition.displayName'],
  ['a description of 513 characters', pump({ description: 'x'.repeat(513) }), 'definition.description'],
])('%s is refused, at its place', (_what, definition, path) => {
  expect(readIssues(definition).map((issue) => issue.path)).toEqual([path])
})
