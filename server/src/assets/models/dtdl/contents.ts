/** Reads the contents of an interface: Telemetry, Property, Command, Component, Relationship. (DTDL reference) */
import { fieldFields, readNamedField, holdsArray } from './data-schema.ts'
import {
  readBoolean,
  type Document,
  type Element,
  readInteger,
  isObject,
  readList,
  type Part,
  fieldPart,
  readReference,
  refuse,
  readText,
} from './document.ts'
import { readElement } from './element.ts'
import type { Command, Component, Content, Interface, Payload, Property, Relationship } from './model.ts'
import { readDtmi, readModelId, readNamed, refuseSameNames } from './names.ts'

/** DTDL v3 limits the whole interface instead; its number here is the platform's own. */
const MAX_PROPERTIES = { 2: 300, 3: 1000 }
const MAX_MULTIPLICITY = { 2: 500, 3: Number.MAX_SAFE_INTEGER }
const COMMAND_TYPE = /^(dtmi:dtdl:instance:CommandType:)?(a?synchronous)(;[23])?$/

/** Reads an interface that is defined inline in the schema of a component. */
type ReadInline = (doc: Document, part: Part) => Interface

const kinds = {
  Telemetry: fieldFields,
  Property: [...fieldFields, 'writable'],
  Command: ['name', 'request', 'response', 'commandType'],
  Component: ['name', 'schema'],
  Relationship: ['name', 'target', 'minMultiplicity', 'maxMultiplicity', 'properties', 'writable'],
}
const readers: Record<string, (element: Element, readInline: ReadInline) => Content> = {
  Telemetry: (element) => ({ kind: 'telemetry', ...readNamedField(element) }),
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
  const element = readElement(doc, part, kinds)
  return { element, content: readers[element.type]!(element, readInline) }
}

function readComponent(element: Element, readInline: ReadInline): Component {
  const schema = readReference(fieldPart(element, 'schema'))
  const inline = isObject(schema.value) ? readInline(element.doc, schema) : null
  const modelId = inline ? inline.id : readModelId(element.doc, schema)
  return { kind: 'component', ...readNamed(element), modelId, inline }
}

function readProperty(element: Element): Property {
  const field = readNamedField(element)
  if (element.doc.version === 2 && holdsArray(field.schema))
    refuse(`${element.path}.schema`, 'must hold no array and no geometry in a Property of DTDL v2')
  return { kind: 'property', ...field, writable: readBoolean(fieldPart(element, 'writable')) }
}

function readCommand(element: Element): Command {
  const commandType = fieldPart(element, 'commandType')
  if (
    !element.doc.isStored &&
    commandType.value !== undefined &&
    !COMMAND_TYPE.test(readText(readReference(commandType), 512))
  )
    refuse(commandType.path, 'must be synchronous or asynchronous')
  return {
    kind: 'command',
    ...readNamed(element),
    request: readPayload(element.doc, fieldPart(element, 'request'), 'CommandRequest'),
    response: readPayload(element.doc, fieldPart(element, 'response'), 'CommandResponse'),
  }
}

function readPayload(doc: Document, part: Part, type: string): Payload | null {
  if (part.value === undefined) return null
  const name = doc.version === 2 ? 'CommandPayload' : type
  const element = readElement(doc, part, { [name]: [...fieldFields, 'nullable'] }, name)
  return { ...readNamedField(element), nullable: readBoolean(fieldPart(element, 'nullable')) }
}

function readRelationship(element: Element): Relationship {
  const { doc } = element
  const [target, list] = [fieldPart(element, 'target'), fieldPart(element, 'properties')]
  const properties = readList(list, MAX_PROPERTIES[doc.isStored ? 3 : doc.version]).map((part) =>
    readProperty(readElement(doc, part, { Property: kinds.Property })),
  )
  refuseSameNames(properties, list.path)
  const minMultiplicity = fieldPart(element, 'minMultiplicity')
  if (minMultiplicity.value !== undefined && readInteger(minMultiplicity) !== 0)
    refuse(minMultiplicity.path, 'must be 0')
  return {
    kind: 'relationship',
    ...readNamed(element),
    target: target.value === undefined ? null : readDtmi(doc, target),
    maxMultiplicity: readMaxMultiplicity(doc, fieldPart(element, 'maxMultiplicity')),
    writable: readBoolean(fieldPart(element, 'writable')),
    properties,
  }
}

function readMaxMultiplicity({ version, isStored }: Document, part: Part): number | null {
  if (part.value === undefined) return null
  const [count, most] = [readInteger(part), MAX_MULTIPLICITY[isStored ? 3 : version]]
  return count >= 1 && count <= most ? count : refuse(part.path, `must be a whole number from 1 to ${most}`)
}
