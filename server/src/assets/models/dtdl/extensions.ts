/** Extensions of DTDL: their contexts, and the types that each of them adds. */
import type { DataSchema } from './model.ts'
import { type Element, readInteger, fieldPart, refuse, readText } from './document.ts'
import { geopoint, holdsText, isEnum, isGeometry, isNumber, vector } from './schema-kinds.ts'

export const IOT_CENTRAL = 'dtmi:iotcentral:context;2'
export const QUANTITIES = 'dtmi:dtdl:extension:quantitativeTypes;1'

const MAX_TEXT = 512

interface AddedType {
  /** The kinds of elements that may have this type. */
  on: string[]
  /** The fields that it adds, with the type of each; one that ends with `?` is optional. */
  fields?: Record<string, 'a text' | 'a whole number'>
  /** Another type that the element must have too. */
  beside?: string
  /** A check of the element's schema, and the schema's name in a refusal. */
  schema?: [(schema: DataSchema) => boolean, string]
}
interface Extension {
  contexts: string[]
  version: 2 | 3
  types: Record<string, AddedType>
}

const versions = (name: string, ...numbers: number[]) =>
  numbers.map((number) => `dtmi:dtdl:extension:${name};${number}`)

export const data = ['Telemetry', 'Property']
const topics = {
  payloadFormat: 'a text',
  'commandTopic?': 'a text',
  'telemetryTopic?': 'a text',
  'cmdServiceGroupId?': 'a text',
  'telemServiceGroupId?': 'a text',
} as const

const extensions: Extension[] = [
  { contexts: [QUANTITIES], version: 3, types: {} },
  {
    contexts: versions('annotation', 1, 2),
    version: 3,
    types: { ValueAnnotation: { on: data, fields: { annotates: 'a text' } } },
  },
  {
    contexts: versions('overriding', 1, 2),
    version: 3,
    types: { Override: { on: ['Property'], fields: { overrides: 'a text' }, beside: 'ValueAnnotation' } },
  },
  { contexts: versions('historization', 1, 2), version: 3, types: { Historized: { on: data } } },
  { contexts: versions('requirement', 1), version: 3, types: { Required: { on: ['Field'] } } },
  {
    contexts: versions('mqtt', 1, 2),
    version: 3,
    types: {
      Mqtt: { on: ['Interface'], fields: topics },
      Idempotent: { on: ['Command'] },
      Cacheable: { on: ['Command'], fields: { ttl: 'a text' }, beside: 'Idempotent' },
      Indexed: { on: ['Telemetry', 'Field', 'EnumValue'], fields: { index: 'a whole number' } },
      Transparent: { on: ['CommandRequest', 'CommandResponse'] },
    },
  },
  {
    contexts: [IOT_CENTRAL],
    version: 2,
    types: {
      AccelerationVector: { on: data, schema: [(schema) => schema === vector, 'vector'] },
      VelocityVector: { on: data, schema: [(schema) => schema === vector, 'vector'] },
      Location: {
        on: data,
        schema: [(schema) => schema === geopoint || isGeometry(schema), 'geopoint or a geometry'],
      },
      Event: { on: data, schema: [(schema) => isNumber(schema) || holdsText(schema), 'a number or string'] },
      State: { on: data, schema: [isEnum, 'an Enum'] },
    },
  },
]

/** All extensions that a model may name, in either version of DTDL. */
export const knownContexts = extensions.flatMap(({ contexts }) => contexts)

interface AddedField {
  name: string
  kind: string
  isOptional: boolean
}

const listFields = (added: AddedType | undefined): AddedField[] =>
  Object.entries(added?.fields ?? {}).map(([name, kind]) => ({
    name: name.replace('?', ''),
    kind,
    isOptional: name.endsWith('?'),
  }))

/** Finds the type in the extensions that the element's contexts name. */
function findAddedType({ doc }: Pick<Element, 'doc'>, type: string) {
  const named = extensions.find(
    ({ contexts, types }) =>
      Object.hasOwn(types, type) && contexts.some((context) => doc.contexts.includes(context)),
  )
  return named && { ...named.types[type]!, version: named.version }
}

export const isAddedType = (element: Pick<Element, 'doc'>, type: string): boolean =>
  findAddedType(element, type) !== undefined

export const listAddedFields = (element: Element): string[] =>
  element.otherTypes.flatMap((type) => listFields(findAddedType(element, type)).map(({ name }) => name))

/** Checks the types of extensions that `@context` names; other types are unknown. */
export function checkAddedTypes(element: Element): void {
  for (const type of element.otherTypes) {
    const added = findAddedType(element, type)
    if (!added) continue
    const at = `${element.path}.@type`
    if (element.doc.version !== added.version || !added.on.includes(element.type))
      refuse(at, `must not have ${type}, which is for ${added.on.join(', ')} of DTDL v${added.version}`)
    if (added.beside && !element.otherTypes.includes(added.beside))
      refuse(at, `must have ${added.beside} beside ${type}`)
    for (const field of listFields(added)) checkField(element, type, field)
  }
}

function checkField(element: Element, type: string, { name, kind, isOptional }: AddedField): void {
  const part = fieldPart(element, name)
  if (part.value === undefined && isOptional) return
  if (part.value === undefined) refuse(part.path, `must be given: ${type} needs it`)
  if (kind === 'a text') readText(part, MAX_TEXT)
  else readInteger(part)
}

export function checkSchemaOfAddedTypes(element: Element, schema: DataSchema): void {
  for (const type of element.otherTypes) {
    const [fits, name] = findAddedType(element, type)?.schema ?? []
    if (fits && !fits(schema)) refuse(`${element.path}.schema`, `must be ${name}, since it is of ${type}`)
  }
}
