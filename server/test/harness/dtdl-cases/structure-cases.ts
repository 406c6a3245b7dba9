/** Ids, names, types, contents and counts of an interface. */
import {
  type Case,
  command,
  component,
  content,
  language,
  model,
  property,
  relationship,
  schema,
  times,
} from './case.ts'
import { telemetry } from '../dtdl.ts'

const id = (value: unknown) => model({ '@id': value })
const idOfContent = (value: unknown) => schema('double', { '@id': value })
const name = (value: unknown) => schema('double', { name: value })
const signals = (count: number) => times(count, (index) => telemetry('double', { name: `t${index}` }))

const ids: Case[] = [
  ['both', 'an id of one part', id('dtmi:pump;1')],
  ['both', 'an id with digits and underscores', id('dtmi:com:e_x1:pump_7;12')],
  ['both', 'an id of 128 characters', id(`dtmi:${'a'.repeat(121)};1`)],
  ['neither', 'an id of 129 characters', id(`dtmi:${'a'.repeat(122)};1`)],
  ['both', 'a version of nine digits', id('dtmi:com:a;123456789')],
  ['neither', 'a version of ten digits', id('dtmi:com:a;1234567890')],
  ['neither', 'a version of zero', id('dtmi:com:a;0')],
  ['neither', 'a version with a leading zero', id('dtmi:com:a;01')],
  ['v3', 'a version in two parts', id('dtmi:com:a;1.2')],
  ['neither', 'a version in three parts', id('dtmi:com:a;1.2.3')],
  ['neither', 'no id', id(undefined)],
  ['neither', 'an id without a part', id('dtmi:;1')],
  ['neither', 'an id with an empty part', id('dtmi:com::a;1')],
  ['neither', 'an id with a part that begins with a digit', id('dtmi:com:7a;1')],
  ['neither', 'an id with a part that begins with an underscore', id('dtmi:com:_a;1')],
  ['neither', 'an id with a part that ends with an underscore', id('dtmi:com:a_;1')],
  ['neither', 'an id with a hyphen', id('dtmi:com:a-b;1')],
  ['neither', 'an id in capitals', id('DTMI:com:a;1')],
  ['neither', 'an id of another scheme', id('urn:com:a;1')],
  ['neither', 'an id with a fragment', id('dtmi:com:a;1#b')],
  ['neither', 'a number for an id', id(7)],
  ['neither', 'an id in a list', id(['dtmi:com:a;1'])],
  ['neither', 'an id of DTDL', id('dtmi:dtdl:a;1')],
  ['neither', 'an id of the standard', id('dtmi:standard:a;1')],
  ['v3', 'an id without version', id('dtmi:com:a')],
  ['both', 'an id of a content', idOfContent('dtmi:com:a:t;1')],
  ['v3', 'an id of a content without version', idOfContent('dtmi:com:a:t')],
  ['both', 'an id of a content of 2048 characters', idOfContent(`dtmi:${'a'.repeat(2041)};1`)],
  ['neither', 'an id of a content of 2049 characters', idOfContent(`dtmi:${'a'.repeat(2042)};1`)],
  ['neither', 'an id of a content that is no DTMI', idOfContent('t')],
  ['neither', 'an empty id of a content', idOfContent('')],
  ['neither', 'the id of the interface as that of a content', idOfContent('dtmi:com:example:Pump;1')],
  [
    'neither',
    'one id of two contents',
    model({ contents: ['t', 'u'].map((each) => telemetry('double', { name: each, '@id': 'dtmi:a:b;1' })) }),
  ],
]

const names: Case[] = [
  ['both', 'a name of one letter', name('t')],
  ['both', 'a name of letters, digits and underscores', name('T_1a')],
  ['both', 'a name of 64 characters', name('t'.repeat(64))],
  ['v3', 'a name of 65 characters', name('t'.repeat(65))],
  ['v3', 'a name of 512 characters', name('t'.repeat(512))],
  ['neither', 'a name of 513 characters', name('t'.repeat(513))],
  ['neither', 'an empty name', name('')],
  ['neither', 'a name that begins with a digit', name('7t')],
  ['neither', 'a name that begins with an underscore', name('_t')],
  ['neither', 'a name that ends with an underscore', name('t_')],
  ['neither', 'a name with a hyphen', name('t-u')],
  ['neither', 'a name with a blank', name('t u')],
  ['neither', 'a name with a dot', name('t.u')],
  ['neither', 'a name with an umlaut', name('tür')],
  ['neither', 'telemetry without name', name(undefined)],
  ['neither', 'a command without name', command({ name: undefined })],
  ['neither', 'a component without name', component({ name: undefined })],
  ['neither', 'a relationship without name', relationship({ name: undefined })],
  ['neither', 'a property without name', property({ name: undefined })],
  ['neither', 'two contents of one name', model({ contents: [telemetry('double'), telemetry('long')] })],
  [
    'both',
    'names that differ in capitals',
    model({ contents: [telemetry('double'), telemetry('double', { name: 'T' })] }),
  ],
]

const types: Case[] = [
  ['neither', 'an interface without type', model({ '@type': undefined })],
  [
    'neither',
    'telemetry instead of an interface',
    model({ '@type': 'Telemetry', name: 't', schema: 'double' }),
  ],
  ['neither', 'a type that DTDL does not know', model({ '@type': 'Thing' })],
  ['neither', 'an interface that is telemetry, too', model({ '@type': ['Interface', 'Telemetry'] })],
  ['neither', 'an interface as a capability model', model({ '@type': 'CapabilityModel' })],
  ['neither', 'a content without type', content({ name: 't', schema: 'double' })],
  [
    'neither',
    'a content of two classes',
    content({ '@type': ['Telemetry', 'Property'], name: 't', schema: 'double' }),
  ],
  ['neither', 'a field among the contents', content({ '@type': 'Field', name: 't', schema: 'double' })],
  ['neither', 'an interface among the contents', content({ '@type': 'Interface', '@id': 'dtmi:a:b;1' })],
  ['neither', 'an array among the contents', content({ '@type': 'Array', elementSchema: 'double' })],
  [
    'neither',
    'an abstract class beside the type',
    content({ '@type': ['Telemetry', 'Content'], name: 't', schema: 'double' }),
  ],
  ['neither', 'an abstract class alone', content({ '@type': 'Content', name: 't' })],
  [
    'both',
    'the class by its DTMI',
    (version) =>
      content({ '@type': `dtmi:dtdl:class:Telemetry;${version}`, name: 't', schema: 'double' })(version),
  ],
  [
    'neither',
    'the class by the DTMI of another version',
    (version) =>
      content({ '@type': `dtmi:dtdl:class:Telemetry;${5 - version}`, name: 't', schema: 'double' })(version),
  ],
  [
    'both',
    'a field by its DTMI',
    (version) => schema('double', { [`dtmi:dtdl:property:comment;${version}`]: 'c' })(version),
  ],
  [
    'neither',
    'a field by the DTMI of another version',
    (version) => schema('double', { [`dtmi:dtdl:property:comment;${5 - version}`]: 'c' })(version),
  ],
  [
    'neither',
    'a field by its term and by its DTMI',
    (version) => schema('double', { comment: 'c', [`dtmi:dtdl:property:comment;${version}`]: 'c' })(version),
  ],
]

const contents: Case[] = [
  ['both', 'an interface of nothing', model({})],
  ['both', '300 contents', model({ contents: signals(300) })],
  ['v3', '301 contents', model({ contents: signals(301) })],
  ['v3', '1,001 contents', model({ contents: signals(1001) })],
  ['neither', 'telemetry without schema', content({ '@type': 'Telemetry', name: 't' })],
  ['neither', 'a property without schema', content({ '@type': 'Property', name: 'p' })],
  ['neither', 'writable telemetry', schema('double', { writable: true })],
  ['both', 'a command of nothing', command({})],
  [
    'both',
    'a command with a request and a response',
    command({ request: { name: 'q', schema: 'double' }, response: { name: 's', schema: 'string' } }),
  ],
  [
    'v2',
    'payloads by the class of v2',
    command({ request: { '@type': 'CommandPayload', name: 'q', schema: 'double' } }),
  ],
  [
    'v3',
    'payloads by the classes of v3',
    command({
      request: { '@type': 'CommandRequest', name: 'q', schema: 'double' },
      response: { '@type': 'CommandResponse', name: 's', schema: 'double' },
    }),
  ],
  [
    'neither',
    'a response in place of a request',
    command({ request: { '@type': 'CommandResponse', name: 'q', schema: 'double' } }),
  ],
  [
    'neither',
    'two requests',
    command({
      request: [
        { name: 'q', schema: 'double' },
        { name: 's', schema: 'double' },
      ],
    }),
  ],
  ['both', 'an empty list of requests', command({ request: [] })],
  ['neither', 'a request without name', command({ request: { schema: 'double' } })],
  ['neither', 'a request without schema', command({ request: { name: 'q' } })],
  [
    'neither',
    'a request that may be null',
    command({ request: { name: 'q', schema: 'double', nullable: true } }),
  ],
  [
    'neither',
    'a response that may be null',
    command({ response: { name: 'q', schema: 'double', nullable: true } }),
  ],
  ['neither', 'a request as a schema', command({ request: 'double' })],
  ['both', 'a synchronous command', command({ commandType: 'synchronous' })],
  ['both', 'an asynchronous command', command({ commandType: 'asynchronous' })],
  [
    'both',
    'a command type by its DTMI',
    (version) => command({ commandType: `dtmi:dtdl:instance:CommandType:synchronous;${version}` })(version),
  ],
  ['neither', 'a command of another type', command({ commandType: 'later' })],
  ['neither', 'a schema of a command', command({ schema: 'double' })],
  ['neither', 'a component without schema', component({ schema: undefined })],
  ['neither', 'a component of a simple schema', component({ schema: 'double' })],
  [
    'neither',
    'a component of an array',
    component({ schema: { '@type': 'Array', elementSchema: 'double' } }),
  ],
  [
    'both',
    'a component of an interface in place',
    component({ schema: { '@type': 'Interface', '@id': 'dtmi:a:b;1' } }),
  ],
  ['neither', 'a component of an interface without id', component({ schema: { '@type': 'Interface' } })],
  [
    'neither',
    'a component in the interface of a component',
    component({
      schema: {
        '@type': 'Interface',
        '@id': 'dtmi:a:b;1',
        contents: [
          { '@type': 'Component', name: 'd', schema: { '@type': 'Interface', '@id': 'dtmi:a:c;1' } },
        ],
      },
    }),
  ],
  ['both', 'a relationship to anything', relationship({})],
  [
    'both',
    'a relationship to a model that is not there',
    relationship({ target: 'dtmi:com:example:Tank;1' }),
  ],
  [
    'neither',
    'a relationship to an interface in place',
    relationship({ target: { '@type': 'Interface', '@id': 'dtmi:a:b;1' } }),
  ],
  ['both', 'a writable relationship', relationship({ writable: true })],
  [
    'both',
    'a relationship with a property',
    relationship({ properties: [{ '@type': 'Property', name: 'p', schema: 'double' }] }),
  ],
  [
    'neither',
    'a relationship with a property without type',
    relationship({ properties: [{ name: 'p', schema: 'double' }] }),
  ],
  [
    'neither',
    'a relationship with telemetry',
    relationship({ properties: [{ '@type': 'Telemetry', name: 'p', schema: 'double' }] }),
  ],
  [
    'neither',
    'a relationship with two properties of one name',
    relationship({
      properties: [
        { '@type': 'Property', name: 'p', schema: 'double' },
        { '@type': 'Property', name: 'p', schema: 'long' },
      ],
    }),
  ],
  [
    'both',
    'a relationship with 300 properties',
    relationship({
      properties: times(300, (index) => ({ '@type': 'Property', name: `p${index}`, schema: 'double' })),
    }),
  ],
  [
    'v3',
    'a relationship with 301 properties',
    relationship({
      properties: times(301, (index) => ({ '@type': 'Property', name: `p${index}`, schema: 'double' })),
    }),
  ],
]

const base = (fields: object = {}) => ({ '@type': 'Interface', '@id': 'dtmi:a:base;1', ...fields })
const nestedBases = (depth: number): object =>
  base({ '@id': `dtmi:a:base${depth};1`, ...(depth > 1 && { extends: nestedBases(depth - 1) }) })

const bases: Case[] = [
  ['both', 'two bases', model({ extends: [base(), base({ '@id': 'dtmi:a:other;1' })] })],
  ['v3', 'three bases', model({ extends: times(3, (index) => base({ '@id': `dtmi:a:base${index};1` })) })],
  ['both', 'an empty list of bases', model({ extends: [] })],
  ['neither', 'one base twice', model({ extends: ['dtmi:a:base;1', 'dtmi:a:base;1'] })],
  ['neither', 'a base that is no DTMI', model({ extends: ['Machine'] })],
  ['neither', 'a base that is telemetry', model({ extends: telemetry('double') })],
  ['neither', 'a base without id', model({ extends: base({ '@id': undefined }) })],
  [
    'neither',
    'a content of the name that a base has',
    model({ contents: [telemetry('double')], extends: base({ contents: [telemetry('long')] }) }),
  ],
  [
    'neither',
    'two bases with a content of one name',
    model({
      extends: [
        base({ contents: [telemetry('long')] }),
        base({ '@id': 'dtmi:a:other;1', contents: [telemetry('long')] }),
      ],
    }),
  ],
  ['both', 'bases in 10 levels', model({ extends: nestedBases(10) })],
  ['neither', 'bases in 11 levels', model({ extends: nestedBases(11) })],
  ['neither', 'an interface that extends itself', model({ extends: 'dtmi:com:example:Pump;1' })],
  ['both', 'a base of DTDL v2', model({ extends: base({ '@context': language(2) }) })],
  ['v3', 'a base of DTDL v3', model({ extends: base({ '@context': language(3) }) })],
]

export const structureCases: Case[] = [...ids, ...names, ...types, ...contents, ...bases]
