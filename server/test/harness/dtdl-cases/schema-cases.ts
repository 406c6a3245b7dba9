/** Data schemas: simple ones, arrays, enums, maps and objects. */
import { nested, telemetry } from '../dtdl.ts'
import { type Case, language, model, property, relationship, schema, times } from './case.ts'

const simple = 'boolean date dateTime double duration float integer long string time'.split(' ')
const shapes = 'lineString multiLineString multiPoint multiPolygon point polygon'.split(' ')
const later = 'byte bytes decimal scaledDecimal short unsignedByte unsignedInteger unsignedLong uuid'.split(
  ' ',
)

const simpleSchemas: Case[] = [
  ...simple.map((name): Case => ['both', `the schema ${name}`, schema(name)]),
  ...shapes.map((name): Case => ['both', `the shape ${name}`, schema(name)]),
  ...later.map((name): Case => [
    'neither',
    `the schema ${name}, which only later versions have`,
    schema(name),
  ]),
  [
    'both',
    'a schema by its DTMI',
    (version) => schema(`dtmi:dtdl:instance:Schema:double;${version}`)(version),
  ],
  [
    'both',
    'a shape by its DTMI',
    (version) => schema(`dtmi:standard:schema:geospatial:point;${version}`)(version),
  ],
  ['neither', 'a schema that DTDL does not know', schema('number')],
  ['neither', 'a schema in capitals', schema('Double')],
  ['neither', 'the name of a class as schema', schema('Integer')],
  ['neither', 'the name of a unit as schema', schema('degreeCelsius')],
  ['neither', 'the name of a field as schema', schema('contents')],
  ['neither', 'a DTMI that no schema has', schema('dtmi:com:example:none;1')],
  ['neither', 'a reserved DTMI that no schema has', schema('dtmi:dtdl:instance:Schema:number;2')],
  ['neither', 'the DTMI of another model', schema('dtmi:com:example:Motor;1')],
  ['neither', 'an interface as schema', schema({ '@type': 'Interface', '@id': 'dtmi:a:b;1' })],
  ['neither', 'a schema without type', schema({ elementSchema: 'double' })],
  ['neither', 'a simple schema by its class', schema({ '@type': 'Double' })],
]

const array = (fields: object = {}) => ({ '@type': 'Array', elementSchema: 'double', ...fields })
const arrays: Case[] = [
  ['both', 'an array', schema(array())],
  ['neither', 'an array of no schema', schema({ '@type': 'Array' })],
  ['neither', 'an array of two schemas', schema(array({ elementSchema: ['double', 'long'] }))],
  ['neither', 'an array with fields', schema(array({ fields: [] }))],
  ['both', 'arrays in five levels', schema(nested(5))],
  ['neither', 'arrays in six levels', schema(nested(6))],
  ['v3', 'an array in a property', property({ schema: array() })],
  ['v3', 'a shape in a property', property({ schema: 'point' })],
  [
    'v3',
    'an array in an object in a property',
    property({ schema: { '@type': 'Object', fields: [{ name: 'a', schema: array() }] } }),
  ],
  [
    'v3',
    'an array in a property of a relationship',
    relationship({ properties: [{ '@type': 'Property', name: 'p', schema: array() }] }),
  ],
  [
    'both',
    'an array with an id and texts',
    schema(array({ '@id': 'dtmi:a:b;1', displayName: 'a', description: 'b', comment: 'c' })),
  ],
  ['neither', 'an array with a name', schema(array({ name: 'a' }))],
]

const enumOf = (valueSchema: unknown, ...enumValues: unknown[]) =>
  schema({ '@type': 'Enum', valueSchema, enumValues })
const value = (enumValue: unknown, name = 'a', fields: object = {}) => ({ name, enumValue, ...fields })
const values = (count: number) => times(count, (index) => value(index, `a${index}`))
const enums: Case[] = [
  ['both', 'an enum of whole numbers', enumOf('integer', value(1), value(2, 'b'))],
  ['both', 'an enum of texts', enumOf('string', value('x'), value('y', 'b'))],
  ['both', 'an enum of a number below zero', enumOf('integer', value(-1))],
  ['neither', 'an enum of doubles', enumOf('double', value(1.5))],
  ['neither', 'an enum of truths', enumOf('boolean', value(true))],
  ['neither', 'an enum of long numbers', enumOf('long', value(1))],
  ['neither', 'an enum of no schema', enumOf(undefined, value(1))],
  ['neither', 'an enum of an array', enumOf(array(), value(1))],
  ['neither', 'an enum with a text among numbers', enumOf('integer', value('x'))],
  ['neither', 'an enum with a number among texts', enumOf('string', value(1))],
  ['neither', 'an enum with half a number', enumOf('integer', value(1.5))],
  ['neither', 'an enum with a truth', enumOf('integer', value(true))],
  ['both', 'the greatest number of 32 bits', enumOf('integer', value(2_147_483_647))],
  ['neither', 'a number of more than 32 bits', enumOf('integer', value(2_147_483_648))],
  ['neither', 'two values of one name', enumOf('integer', value(1), value(2))],
  ['neither', 'two values of one number', enumOf('integer', value(1), value(1, 'b'))],
  ['neither', 'two values of one text', enumOf('string', value('x'), value('x', 'b'))],
  ['neither', 'a value without name', enumOf('integer', { enumValue: 1 })],
  ['neither', 'a value without number', enumOf('integer', { name: 'a' })],
  ['neither', 'a value of two numbers', enumOf('integer', value([1, 2]))],
  ['both', 'a value as @value', enumOf('integer', value({ '@value': 1 }))],
  ['both', 'a value of its class', enumOf('integer', value(1, 'a', { '@type': 'EnumValue' }))],
  ['neither', 'a value of another class', enumOf('integer', value(1, 'a', { '@type': 'Field' }))],
  ['neither', 'a value with a schema', enumOf('integer', value(1, 'a', { schema: 'integer' }))],
  ['neither', 'a text among the values', enumOf('string', 'x')],
  ['both', '100 values', enumOf('integer', ...values(100))],
  ['v3', '101 values', enumOf('integer', ...values(101))],
  ['v3', 'an enum of no values', enumOf('integer')],
  ['v3', 'an enum without values', schema({ '@type': 'Enum', valueSchema: 'integer' })],
  ['v3', '1,001 values', enumOf('integer', ...values(1001))],
]

const mapOf = (mapKey: unknown, mapValue: unknown) => schema({ '@type': 'Map', mapKey, mapValue })
const key = { name: 'k', schema: 'string' }
const item = { name: 'v', schema: 'double' }
const maps: Case[] = [
  ['both', 'a map', mapOf(key, item)],
  [
    'both',
    'a map with the classes of its parts',
    mapOf({ '@type': 'MapKey', ...key }, { '@type': 'MapValue', ...item }),
  ],
  [
    'both',
    'a map of maps',
    mapOf(key, { name: 'v', schema: { '@type': 'Map', mapKey: key, mapValue: item } }),
  ],
  ['neither', 'a map without key', mapOf(undefined, item)],
  ['neither', 'a map without value', mapOf(key, undefined)],
  ['neither', 'a map with two keys', mapOf([key, { ...key, name: 'l' }], item)],
  ['neither', 'a map by numbers', mapOf({ name: 'k', schema: 'integer' }, item)],
  ['neither', 'a map by arrays', mapOf({ name: 'k', schema: array() }, item)],
  ['neither', 'a key without name', mapOf({ schema: 'string' }, item)],
  ['neither', 'a key without schema', mapOf({ name: 'k' }, item)],
  ['neither', 'a value without name in a map', mapOf(key, { schema: 'double' })],
  ['neither', 'a value without schema in a map', mapOf(key, { name: 'v' })],
  ['neither', 'the class of a value on a key', mapOf({ '@type': 'MapValue', ...key }, item)],
  ['neither', 'a text as key', mapOf('string', item)],
]

const objectOf = (...fields: unknown[]) => schema({ '@type': 'Object', fields })
const objects: Case[] = [
  ['both', 'an object', objectOf({ name: 'a', schema: 'double' }, { name: 'b', schema: 'string' })],
  ['both', 'a field of its class', objectOf({ '@type': 'Field', name: 'a', schema: 'double' })],
  [
    'both',
    'an object in an object',
    objectOf({ name: 'a', schema: { '@type': 'Object', fields: [{ name: 'a', schema: 'double' }] } }),
  ],
  [
    'neither',
    'two fields of one name',
    objectOf({ name: 'a', schema: 'double' }, { name: 'a', schema: 'double' }),
  ],
  ['neither', 'a field without name', objectOf({ schema: 'double' })],
  ['neither', 'a field without schema', objectOf({ name: 'a' })],
  ['neither', 'a field of another class', objectOf({ '@type': 'Property', name: 'a', schema: 'double' })],
  ['neither', 'a writable field', objectOf({ name: 'a', schema: 'double', writable: true })],
  ['neither', 'a text among the fields', objectOf('double')],
  ['both', '30 fields', objectOf(...times(30, (index) => ({ name: `f${index}`, schema: 'double' })))],
  ['v3', '31 fields', objectOf(...times(31, (index) => ({ name: `f${index}`, schema: 'double' })))],
  ['v3', 'an object of no fields', objectOf()],
  ['v3', 'an object without fields', schema({ '@type': 'Object' })],
]

const own = 'dtmi:com:example:own;1'
const reusable = (...schemas: object[]) => model({ schemas, contents: [telemetry(own)] })
const ownArray = array({ '@id': own })
const reusables: Case[] = [
  ['both', 'a schema of the interface', reusable(ownArray)],
  [
    'both',
    'a schema of the interface, not in a list',
    model({ schemas: ownArray, contents: [telemetry(own)] }),
  ],
  ['both', 'a schema of the interface that nothing names', model({ schemas: [ownArray] })],
  [
    'both',
    'a schema of the interface that is named twice',
    model({ schemas: [ownArray], contents: [telemetry(own), telemetry(own, { name: 'u' })] }),
  ],
  [
    'both',
    'schemas of the interface that name each other',
    reusable(array({ '@id': own, elementSchema: 'dtmi:a:b;1' }), array({ '@id': 'dtmi:a:b;1' })),
  ],
  ['both', 'no schemas', model({ schemas: [] })],
  ['neither', 'a schema of the interface without id', model({ schemas: [array()] })],
  ['neither', 'a simple schema among those of the interface', model({ schemas: ['double'] })],
  [
    'neither',
    'telemetry among the schemas of the interface',
    model({ schemas: [telemetry('double', { '@id': own })] }),
  ],
  ['neither', 'two schemas of the interface of one id', reusable(ownArray, ownArray)],
  ['neither', 'a schema within itself', reusable(array({ '@id': own, elementSchema: own }))],
  [
    'neither',
    'schemas within each other',
    reusable(
      array({ '@id': own, elementSchema: 'dtmi:a:b;1' }),
      array({ '@id': 'dtmi:a:b;1', elementSchema: own }),
    ),
  ],
  [
    'neither',
    'six levels across schemas of the interface',
    reusable(
      { ...(nested(3) as object), '@id': own },
      { ...(nested(5) as object), '@id': 'dtmi:a:b;1' },
      array({ '@id': 'dtmi:a:c;1', elementSchema: 'dtmi:a:b;1' }),
    ),
  ],
  [
    'both',
    'a schema in one content that another one names',
    model({ contents: [telemetry(ownArray), telemetry(own, { name: 'u' })] }),
  ],
  ['both', 'an array of DTDL v2 in a content', schema({ ...array(), '@context': language(2) })],
  [
    'neither',
    'a schema of DTDL v2 among those of an interface of v3',
    (version) => reusable({ ...ownArray, '@context': language(version === 3 ? 2 : 3) })(version),
  ],
]

export const schemaCases: Case[] = [...simpleSchemas, ...arrays, ...enums, ...maps, ...objects, ...reusables]
