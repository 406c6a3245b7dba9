/** Contexts, extensions, and types beside the class: annotations, overrides, types of IoT Central. */
import { telemetry } from '../dtdl.ts'
import { also, beside, type Case, extension, language, model, schema, typed, within } from './case.ts'

const central = 'dtmi:iotcentral:context;2'
const nothing = telemetry('double')

const contexts: Case[] = [
  ['neither', 'no context', within(() => undefined)],
  ['neither', 'an empty list of contexts', within(() => [])],
  ['neither', 'null as context', within(() => null)],
  ['neither', 'a number as context', within(() => 2)],
  ['neither', 'a local context', within(also({ term: 'dtmi:a:b;1' }), nothing)],
  ['neither', 'a context of DTDL without version', within(() => 'dtmi:dtdl:context')],
  ['neither', 'a version of DTDL that does not exist', within(() => 'dtmi:dtdl:context;1')],
  ['neither', 'a version of DTDL to come', within(() => 'dtmi:dtdl:context;99')],
  ['neither', 'a context that is a web address', within(also('https://example.com/context'), nothing)],
  ['neither', 'an extension without DTDL', within(() => [extension('historization')])],
  ['both', 'DTDL twice', within((version) => [language(version), language(version)], nothing)],
  ['both', 'DTDL in a list', within((version) => [language(version)], nothing)],
  ['both', 'an extension after DTDL', within(also(extension('historization')), nothing)],
  [
    'neither',
    'an extension before DTDL',
    within((version) => [extension('historization'), language(version)], nothing),
  ],
  ['v2', 'a context that DTDL does not know', within(also('dtmi:com:example:context;1'), nothing)],
  [
    'neither',
    'a context without version that DTDL does not know',
    within(also('dtmi:com:example:context'), nothing),
  ],
  ['v2', 'an extension of DTDL that does not exist', within(also(extension('nothing')), nothing)],
  ['both', 'IoT Central after DTDL', within(also(central), nothing)],
  ['both', 'IoT Central before DTDL', within((version) => [central, language(version)], nothing)],
  ['both', 'DTDL in a content', (version) => schema('double', { '@context': language(version) })(version)],
  ['both', 'an empty context in a content', schema('double', { '@context': [] })],
  ['both', 'DTDL v2 in a content', schema('double', { '@context': language(2), '@note': 1 })],
  ['v3', 'DTDL v3 in a content', schema('double', { '@context': language(3) })],
  [
    'v3',
    'an extension in a content',
    (version) =>
      schema('double', {
        '@context': [language(version), extension('historization')],
        '@type': ['Telemetry', 'Historized'],
      })(version),
  ],
  [
    'neither',
    'an id of IoT Central in its context',
    (version) => model({ '@context': [language(version), central], '@id': 'dtmi:iotcentral:a;1' })(version),
  ],
  ['both', 'an id of IoT Central without its context', model({ '@id': 'dtmi:iotcentral:a;1' })],
]

const otherTypes: Case[] = [
  ['v2', 'another type that DTDL does not know', beside('Shown')],
  ['v2', 'a type that DTDL does not know, with a field', beside('Shown', { shown: true })],
  [
    'v2',
    'a type that DTDL does not know, with a field that is a wrong DTMI',
    beside('Shown', { 'dtmi:a//b': 1 }),
  ],
  ['v2', 'a type that is a web address', beside('https://example.com/Shown')],
  ['neither', 'a type that is a wrong DTMI', beside('dtmi:a//b')],
  ['neither', 'a type that is a DTMI without a context of it', beside('dtmi:a:b;1')],
  ['neither', 'a type that is a field of DTDL', beside('displayName')],
  ['neither', 'a type that is a class of units', beside('TemperatureUnit')],
  ['neither', 'a type that is another class', beside('Enum')],
  [
    'v2',
    'a type of a context that DTDL does not know',
    within(also('dtmi:com:example:context;1'), typed('dtmi:com:example:Shown;1', { shown: 1 })),
  ],
]

const annotated = (...contents: object[]) =>
  within(
    also(
      extension('quantitativeTypes'),
      ...['annotation', 'overriding', 'historization', 'requirement', 'mqtt'].map((name) => extension(name)),
    ),
    typed('Temperature', { unit: 'kelvin' }),
    ...contents,
  )
const note = (fields: object, types: string[] = [], value: unknown = 'string') => ({
  '@type': ['Property', 'ValueAnnotation', ...types],
  name: 'note',
  schema: value,
  annotates: 't',
  ...fields,
})
const extensions: Case[] = [
  ['v3', 'what is kept in a history', annotated(typed('Historized', { name: 'h' }))],
  [
    'neither',
    'a command that is kept in a history',
    annotated({ '@type': ['Command', 'Historized'], name: 'c' }),
  ],
  [
    'v3',
    'a field that is required',
    annotated(
      telemetry(
        { '@type': 'Object', fields: [{ '@type': ['Field', 'Required'], name: 'a', schema: 'double' }] },
        { name: 'o' },
      ),
    ),
  ],
  ['neither', 'telemetry that is required', annotated(typed('Required', { name: 'r' }))],
  ['v3', 'an annotation', annotated(note({}))],
  ['neither', 'an annotation of nothing', annotated(note({ annotates: undefined }))],
  ['neither', 'an annotation of a number', annotated(note({ annotates: 7 }))],
  [
    'neither',
    'an annotation of a command',
    annotated({ '@type': 'Command', name: 'c' }, note({ annotates: 'c' })),
  ],
  ['neither', 'an annotation of itself', annotated(note({ annotates: 'note' }))],
  ['v3', 'an override of a unit', annotated(note({ overrides: 'unit' }, ['Override'], 'TemperatureUnit'))],
  [
    'neither',
    'an override that annotates nothing',
    annotated({ '@type': ['Property', 'Override'], name: 'o', schema: 'TemperatureUnit', overrides: 'unit' }),
  ],
  [
    'neither',
    'an override by units of another quantity',
    annotated(note({ overrides: 'unit' }, ['Override'], 'LengthUnit')),
  ],
  ['neither', 'an override of a name', annotated(note({ overrides: 'name' }, ['Override']))],
  [
    'neither',
    'two overrides of one unit',
    annotated(
      note({ overrides: 'unit' }, ['Override'], 'TemperatureUnit'),
      note({ name: 'other', overrides: 'unit' }, ['Override'], 'TemperatureUnit'),
    ),
  ],
  ['v3', 'a command that can be repeated', annotated({ '@type': ['Command', 'Idempotent'], name: 'c' })],
  [
    'v3',
    'a command whose answer is kept',
    annotated({ '@type': ['Command', 'Idempotent', 'Cacheable'], name: 'c', ttl: 'PT1M' }),
  ],
  [
    'neither',
    'a command whose answer is kept but cannot be repeated',
    annotated({ '@type': ['Command', 'Cacheable'], name: 'c', ttl: 'PT1M' }),
  ],
  ['v3', 'telemetry with an index', annotated(typed('Indexed', { name: 'i', index: 1 }))],
  ['neither', 'an index that is a text', annotated(typed('Indexed', { name: 'i', index: 'a' }))],
  [
    'neither',
    'an index twice',
    annotated(typed('Indexed', { name: 'i', index: 1 }), typed('Indexed', { name: 'j', index: 1 })),
  ],
  [
    'v3',
    'an interface with topics',
    (version) =>
      model({
        '@context': also(extension('mqtt'))(version),
        '@type': ['Interface', 'Mqtt'],
        payloadFormat: 'Json/ecma/404',
        telemetryTopic: 'a/b',
      })(version),
  ],
  [
    'neither',
    'a topic that is not one',
    (version) =>
      model({
        '@context': also(extension('mqtt'))(version),
        '@type': ['Interface', 'Mqtt'],
        payloadFormat: 'Json/ecma/404',
        telemetryTopic: 'a b//',
      })(version),
  ],
  [
    'neither',
    'a field of an extension without its type',
    annotated(telemetry('double', { name: 'u', annotates: 't' })),
  ],
]

const state = { '@type': 'Enum', valueSchema: 'string', enumValues: [{ name: 'on', enumValue: 'on' }] }
const iotCentral: Case[] = [
  ['both', 'a vector of IoT Central', within(also(central), telemetry('vector'))],
  ['both', 'a place of IoT Central as schema', within(also(central), telemetry('geopoint'))],
  ['neither', 'a vector without IoT Central', schema('vector')],
  ['v2', 'a state of IoT Central', within(also(central), typed('State', {}, state))],
  ['neither', 'a state of IoT Central that is a number', within(also(central), typed('State'))],
  ['v2', 'an event of IoT Central', within(also(central), typed('Event', {}, 'string'))],
  [
    'neither',
    'an event of IoT Central that is a truth',
    within(also(central), typed('Event', {}, 'boolean')),
  ],
  ['v2', 'a place of IoT Central', within(also(central), typed('Location', {}, 'geopoint'))],
  ['neither', 'a place of IoT Central that is a number', within(also(central), typed('Location'))],
  [
    'v2',
    'an acceleration of IoT Central',
    within(also(central), typed('AccelerationVector', { unit: 'gForce' }, 'vector')),
  ],
  [
    'neither',
    'an acceleration of IoT Central that is a number',
    within(also(central), typed('AccelerationVector', { unit: 'gForce' })),
  ],
]

export const extensionCases: Case[] = [...contexts, ...otherTypes, ...extensions, ...iotCentral]
