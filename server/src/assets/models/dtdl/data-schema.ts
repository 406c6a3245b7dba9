/**
 * Reads data schemas: primitives, geometries, and Array, Enum, Map and Object made of them. (DTDL reference, Schema)
 */
import {
  type Document,
  type Element,
  readList,
  readLiteral,
  type Part,
  fieldPart,
  readReference,
  refuse,
} from './document.ts'
import { readElement } from './element.ts'
import { checkSchemaOfAddedTypes, IOT_CENTRAL, QUANTITIES } from './extensions.ts'
import { isQuantity, readUnit, unitsOfType } from './quantities.ts'
import {
  type DataSchema,
  type EnumValue,
  type Field,
  geometries,
  primitives,
  type SimpleType,
} from './model.ts'
import { readNamed, refuseSameNames } from './names.ts'
import { geopoint, isGeometry, isNumber, vector } from './schema-kinds.ts'

/** The simple types by their term and by their full name, such as `dtmi:standard:schema:geospatial:point;3`. */
const simpleTypes = new Map<string, SimpleType>([
  ...primitives.flatMap((type) => allNames(type, 'dtmi:dtdl:instance:Schema')),
  ...geometries.flatMap((type) => allNames(type, 'dtmi:standard:schema:geospatial')),
])

function allNames(type: SimpleType, prefix: string): [string, SimpleType][] {
  return [type, `${prefix}:${type};2`, `${prefix}:${type};3`].map((name) => [name, type])
}

const MAX_DEPTH = 5
const MAX_SIZE = 2 * 1024 * 1024
/** The limits of DTDL v2. DTDL v3 limits the whole interface instead; its numbers here are the platform's own. */
const MAX_ENUM_VALUES = { 2: 100, 3: 1000 }
const MAX_FIELDS = { 2: 30, 3: 1000 }

/** @param depth the number of complex schemas around this one */
export function readSchema(doc: Document, part: Part, depth = 0): DataSchema {
  const { value, path } = readReference(part)
  if (typeof value !== 'string') return readComplex(doc, { value, path }, depth)
  const reusable = doc.schemas.get(value)
  if (reusable) return readReusable(doc, reusable, depth, path)
  const type = simpleTypes.get(value)
  if (type) return { type }
  const added = findAddedSchema(doc, value)
  if (added) return added
  return refuse(
    path,
    value.startsWith('dtmi:')
      ? `names none of this interface's schemas`
      : `must be ${[...primitives, ...geometries].join(', ')}, a schema or the DTMI of one`,
  )
}

const UNIT_SCHEMA = /^(?:dtmi:dtdl:extension:quantitativeTypes:v1:enum:)?([A-Za-z]+)$/

/**
 * Finds a schema of an extension: one of IoT Central, or the enum of all units of a quantity, such as `TemperatureUnit`.
 */
function findAddedSchema({ contexts }: Document, name: string): DataSchema | undefined {
  if (contexts.includes(IOT_CENTRAL) && name === 'vector') return vector
  if (contexts.includes(IOT_CENTRAL) && name === 'geopoint') return geopoint
  const units = contexts.includes(QUANTITIES) ? unitsOfType(UNIT_SCHEMA.exec(name)?.[1] ?? '') : undefined
  if (!units) return undefined
  const values = units.map((unit) => ({ name: unit, displayName: {}, description: {}, value: unit }))
  return { type: 'enum', valueType: 'string', values }
}

interface ReadReusable {
  contexts: string[]
  schema: DataSchema
  /** Its size with the schemas that it names. */
  characters: number
}
/** Reusable schemas that are read, by the depth at which they are used: hundreds of contents may name the same schema. */
const readReusables = new WeakMap<Part, Map<number, ReadReusable>>()

function readReusable(doc: Document, reusable: Part, depth: number, path: string): DataSchema {
  const { total, contexts } = doc
  const known = readReusables.get(reusable) ?? new Map<number, ReadReusable>()
  const found = known.get(depth)
  const isRead = found !== undefined && found.contexts === contexts
  const before = total.characters
  total.characters += isRead ? found.characters : JSON.stringify(reusable.value).length
  if (total.characters > MAX_SIZE)
    refuse(path, `brings the interface to more than ${MAX_SIZE} characters, with the schemas that it names`)
  if (isRead) return found.schema
  const schema = readComplex(doc, reusable, depth)
  known.set(depth, { contexts, schema, characters: total.characters - before })
  readReusables.set(reusable, known)
  return schema
}

export const complexTypes = {
  Array: ['elementSchema'],
  Enum: ['valueSchema', 'enumValues'],
  Map: ['mapKey', 'mapValue'],
  Object: ['fields'],
}
const readers: Record<string, (element: Element, depth: number) => DataSchema> = {
  Array: readArray,
  Enum: readEnum,
  Map: readMap,
  Object: readObject,
}

function readComplex(doc: Document, part: Part, depth: number): DataSchema {
  if (depth === MAX_DEPTH) refuse(part.path, `nests deeper than ${MAX_DEPTH} levels, or within itself`)
  const element = readElement(doc, part, complexTypes)
  return readers[element.type]!(element, depth + 1)
}

function readArray(element: Element, depth: number): DataSchema {
  return { type: 'array', element: readSchema(element.doc, fieldPart(element, 'elementSchema'), depth) }
}

function readEnum(element: Element): DataSchema {
  const { doc } = element
  const { value, path } = readReference(fieldPart(element, 'valueSchema'))
  const valueType = typeof value === 'string' ? simpleTypes.get(value) : undefined
  if (valueType !== 'integer' && valueType !== 'string') return refuse(path, 'must be integer or string')
  const list = fieldPart(element, 'enumValues')
  const values = readItems(doc, list, MAX_ENUM_VALUES).map((part) => readEnumValue(doc, part, valueType))
  refuseSameNames(values, list.path)
  if (new Set(values.map((one) => one.value)).size < values.length)
    refuse(list.path, 'has two of the same enumValue')
  return { type: 'enum', valueType, values }
}

function readEnumValue(doc: Document, item: Part, valueType: 'integer' | 'string'): EnumValue {
  const element = readElement(doc, item, { EnumValue: ['name', 'enumValue'] }, 'EnumValue')
  const part = fieldPart(element, 'enumValue')
  const [value, { path }] = [readLiteral(part, valueType === 'integer' ? 'xsd:integer' : 'xsd:string'), part]
  const fits = valueType === 'integer' ? isInteger(value, doc) : typeof value === 'string'
  if (!fits) refuse(path, `must be of the type ${valueType}, as valueSchema says`)
  return { ...readNamed(element), value: value as number | string }
}

/** DTDL's integers have 32 bits. */
const isInteger = (value: unknown, { isStored }: Document) =>
  Number.isInteger(value) && (isStored || value === ((value as number) | 0))

function readMap(element: Element, depth: number): DataSchema {
  const { doc } = element
  const key = readField(doc, fieldPart(element, 'mapKey'), 'MapKey', depth)
  if (key.schema.type !== 'string') refuse(`${element.path}.mapKey.schema`, 'must be string')
  const value = readField(doc, fieldPart(element, 'mapValue'), 'MapValue', depth)
  return { type: 'map', keyName: key.name, valueName: value.name, value: value.schema }
}

function readObject(element: Element, depth: number): DataSchema {
  const { doc } = element
  const list = fieldPart(element, 'fields')
  const fields = readItems(doc, list, MAX_FIELDS).map((part) => readField(doc, part, 'Field', depth))
  refuseSameNames(fields, list.path)
  return { type: 'object', fields }
}

/** Reads the values of an enum or the fields of an object. DTDL v2 requires at least one of them. */
function readItems({ version, isStored }: Document, part: Part, maxItems: Record<2 | 3, number>): Part[] {
  const items = readList(part, maxItems[isStored ? 3 : version])
  if (!isStored && version === 2 && items.length === 0) refuse(part.path, 'must have an item in DTDL v2')
  return items
}

/** @param type the type of the field, which the document may omit */
const readField = (doc: Document, part: Part, type: string, depth: number): Field =>
  readNamedField(readElement(doc, part, { [type]: fieldFields }, type), depth)

export const fieldFields = ['name', 'schema', 'unit']

export function readNamedField(element: Element, depth = 0): Field {
  const { doc } = element
  const part = fieldPart(element, 'schema')
  if (part.value === undefined) refuse(part.path, 'must be given')
  const schema = readSchema(doc, part, depth)
  const quantity = element.otherTypes.find(isQuantity)
  if (quantity && !doc.isStored && !isNumber(schema))
    refuse(part.path, `must be a number, since it is a ${quantity}`)
  if (!doc.isStored) checkSchemaOfAddedTypes(element, schema)
  return { ...readNamed(element), schema, unit: readUnit(element) }
}

/** Whether values of the schema contain arrays, as geometries do. */
export function holdsArray(schema: DataSchema): boolean {
  switch (schema.type) {
    case 'object':
      return schema.fields.some((field) => holdsArray(field.schema))
    case 'map':
      return holdsArray(schema.value)
    case 'array':
      return true
    default:
      return isGeometry(schema)
  }
}
