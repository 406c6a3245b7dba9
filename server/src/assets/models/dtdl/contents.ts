/** What an interface is made of: Telemetry, Property, Command, Component, Relationship. (DTDL reference) */
import { fieldFields, fieldOf, holdsArray } from './data-schema.ts'
import {
  booleanOf,
  type Document,
  type Element,
  integerOf,
  isObject,
  listOf,
  type Part,
  partOf,
  referenceOf,
  refuse,
  textOf,
} from './document.ts'
import { elementOf } from './element.ts'
import type { Command, Component, Content, Interface, Payload, Property, Relationship } from './model.ts'
import { dtmiOf, modelIdOf, namedOf, refuseSameNames } from './names.ts'

const MAX_PROPERTIES = 300
const MAX_MULTIPLICITY = { 2: 500, 3: Number.MAX_SAFE_INTEGER }
const COMMAND_TYPE = /^(dtmi:dtdl:instance:CommandType:)?(a?synchronous)(;[23])?$/

/** Reads an interface that stands in the schema of a component. */
type ReadInline = (doc: Document, part: Part) => Interface

const kinds = {
  Telemetry: fieldFields,
  Property: [...fieldFields, 'writable'],
  Command: ['name', 'request', 'response', 'commandType'],
  Component: ['name', 'schema'],
  Relationship: ['name', 'target', 'minMultiplicity', 'maxMultiplicity', 'properties', 'writable'],
}
const readers: Record<string, (element: Element, readInline: ReadInline) => Content> = {
  Telemetry: (element) => ({ kind: 'telemetry', ...fieldOf(element) }),
  Property: readProperty,
  Command: readCommand,
  Component: readComponent,
  Relationship: readRelationship,
}

export function readContent(
  doc: Document,
  part: Part,
  readInline: ReadInline,
): { element: Element; content: Content } {
  const element = elementOf(doc, part, kinds)
  return { element, content: readers[element.type]!(element, readInline) }
}

function readComponent(element: Element, readInline: ReadInline): Component {
  const schema = referenceOf(partOf(element, 'schema'))
  const inline = isObject(schema.value) ? readInline(element.doc, schema) : null
  const modelId = inline ? inline.id : modelIdOf(element.doc, schema)
  return { kind: 'component', ...namedOf(element), modelId, inline }
}

function readProperty(element: Element): Property {
  const field = fieldOf(element)
  if (element.doc.version === 2 && holdsArray(field.schema))
    refuse(`${element.path}.schema`, 'must hold no array and no geometry in a Property of DTDL v2')
  return { kind: 'property', ...field, writable: booleanOf(partOf(element, 'writable')) }
}

function readCommand(element: Element): Command {
  const commandType = partOf(element, 'commandType')
  if (
    !element.doc.isStored &&
    commandType.value !== undefined &&
    !COMMAND_TYPE.test(textOf(referenceOf(commandType), 512))
  )
    refuse(commandType.path, 'must be synchronous or asynchronous')
  return {
    kind: 'command',
    ...namedOf(element),
    request: readPayload(element.doc, partOf(element, 'request'), 'CommandRequest'),
    response: readPayload(element.doc, partOf(element, 'response'), 'CommandResponse'),
  }
}

function readPayload(doc: Document, part: Part, type: string): Payload | null {
  if (part.value === undefined) return null
  const name = doc.version === 2 ? 'CommandPayload' : type
  const element = elementOf(doc, part, { [name]: [...fieldFields, 'nullable'] }, name)
  return { ...fieldOf(element), nullable: booleanOf(partOf(element, 'nullable')) }
}

function readRelationship(element: Element): Relationship {
  const { doc } = element
  const [target, list] = [partOf(element, 'target'), partOf(element, 'properties')]
  const properties = listOf(list, MAX_PROPERTIES).map((part) =>
    readProperty(elementOf(doc, part, { Property: kinds.Property })),
  )
  refuseSameNames(properties, list.path)
  const minMultiplicity = partOf(element, 'minMultiplicity')
  if (minMultiplicity.value !== undefined && integerOf(minMultiplicity) !== 0)
    refuse(minMultiplicity.path, 'must be 0')
  return {
    kind: 'relationship',
    ...namedOf(element),
    target: target.value === undefined ? null : dtmiOf(doc, target),
    maxMultiplicity: maxMultiplicityOf(doc, partOf(element, 'maxMultiplicity')),
    writable: booleanOf(partOf(element, 'writable')),
    properties,
  }
}

function maxMultiplicityOf({ version, isStored }: Document, part: Part): number | null {
  if (part.value === undefined) return null
  const [count, most] = [integerOf(part), MAX_MULTIPLICITY[isStored ? 3 : version]]
  return count >= 1 && count <= most ? count : refuse(part.path, `must be a whole number from 1 to ${most}`)
}
