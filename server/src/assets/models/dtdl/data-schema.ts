/** The types of data: primitives, geometries, and Array, Enum, Map and Object made of them. (DTDL reference, Schema) */
import {
  type Document,
  type Element,
  listOf,
  literalOf,
  type Part,
  partOf,
  referenceOf,
  refuse,
} from './document.ts'
import { elementOf } from './element.ts'
import { checkSchemaOfAddedTypes, IOT_CENTRAL, QUANTITIES } from './extensions.ts'
import { isQuantity, unitOf, unitsOfType } from './quantities.ts'
import {
  type DataSchema,
  type EnumValue,
  type Field,
  geometries,
  primitives,
  type SimpleType,
} from './model.ts'
import { namedOf, refuseSameNames } from './names.ts'
import { geopoint, isGeometry, isNumber, vector } from './schema-kinds.ts'

/** By term and by whole name, such as `dtmi:standard:schema:geospatial:point;3`. */
const simpleTypes = new Map<string, SimpleType>([
  ...primitives.flatMap((type) => namesOf(type, 'dtmi:dtdl:instance:Schema')),
  ...geometries.flatMap((type) => namesOf(type, 'dtmi:standard:schema:geospatial')),
])

function namesOf(type: SimpleType, prefix: string): [string, SimpleType][] {
  return [type, `${prefix}:${type};2`, `${prefix}:${type};3`].map((name) => [name, type])
}

const MAX_DEPTH = 5
const MAX_SIZE = 2 * 1024 * 1024
/** DTDL's of v2; for v3, where it counts the whole interface, the platform's own. */
const MAX_ENUM_VALUES = { 2: 100, 3: 1000 }
const MAX_FIELDS = { 2: 30, 3: 1000 }

/** @param depth how many complex schemas this one stands in */
export function readSchema(doc: Document, part: Part, depth = 0): DataSchema {
  const { value, path } = referenceOf(part)
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

/** Schemas of extensions: those of IoT Central, and enums of all units of a quantity, such as `TemperatureUnit`. */
function findAddedSchema({ contexts }: Document, name: string): DataSchema | undefined {
  if (contexts.includes(IOT_CENTRAL) && name === 'vector') return vector
  if (contexts.includes(IOT_CENTRAL) && name === 'geopoint') return geopoint
  const units = contexts.includes(QUANTITIES) ? unitsOfType(UNIT_SCHEMA.exec(name)?.[1] ?? '') : undefined
  if (!units) return undefined
  const values = units.map((unit) => ({ name: unit, displayName: {}, description: {}, value: unit }))
  return { type: 'enum', valueType: 'string', values }
}

function readReusable(doc: Document, reusable: Part, depth: number, path: string): DataSchema {
  doc.total.characters += JSON.stringify(reusable.value).length
  if (doc.total.characters > MAX_SIZE)
    refuse(path, `brings the interface to more than ${MAX_SIZE} characters, with the schemas that it names`)
  return readComplex(doc, reusable, depth)
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
  const element = elementOf(doc, part, complexTypes)
  return readers[element.type]!(element, depth + 1)
}

function readArray(element: Element, depth: number): DataSchema {
  return { type: 'array', element: readSchema(element.doc, partOf(element, 'elementSchema'), depth) }
}

function readEnum(element: Element): DataSchema {
  const { doc } = element
  const { value, path } = referenceOf(partOf(element, 'valueSchema'))
  const valueType = typeof value === 'string' ? simpleTypes.get(value) : undefined
  if (valueType !== 'integer' && valueType !== 'string') return refuse(path, 'must be integer or string')
  const list = partOf(element, 'enumValues')
  const values = itemsOf(doc, list, MAX_ENUM_VALUES).map((part) => readEnumValue(doc, part, valueType))
  refuseSameNames(values, list.path)
  if (new Set(values.map((one) => one.value)).size < values.length)
    refuse(list.path, 'has two of the same enumValue')
  return { type: 'enum', valueType, values }
}

function readEnumValue(doc: Document, item: Part, valueType: 'integer' | 'string'): EnumValue {
  const element = elementOf(doc, item, { EnumValue: ['name', 'enumValue'] }, 'EnumValue')
  const part = partOf(element, 'enumValue')
  const [value, { path }] = [literalOf(part, valueType === 'integer' ? 'xsd:integer' : 'xsd:string'), part]
  const fits = valueType === 'integer' ? isInteger(value, doc) : typeof value === 'string'
  if (!fits) refuse(path, `must be of the type ${valueType}, as valueSchema says`)
  return { ...namedOf(element), value: value as number | string }
}

/** DTDL's integers have 32 bits. */
const isInteger = (value: unknown, { isStored }: Document) =>
  Number.isInteger(value) && (isStored || value === ((value as number) | 0))

function readMap(element: Element, depth: number): DataSchema {
  const { doc } = element
  const key = readField(doc, partOf(element, 'mapKey'), 'MapKey', depth)
  if (key.schema.type !== 'string') refuse(`${element.path}.mapKey.schema`, 'must be string')
  const value = readField(doc, partOf(element, 'mapValue'), 'MapValue', depth)
  return { type: 'map', keyName: key.name, valueName: value.name, value: value.schema }
}

function readObject(element: Element, depth: number): DataSchema {
  const { doc } = element
  const list = partOf(element, 'fields')
  const fields = itemsOf(doc, list, MAX_FIELDS).map((part) => readField(doc, part, 'Field', depth))
  refuseSameNames(fields, list.path)
  return { type: 'object', fields }
}

/** Reads the values of an enum or the fields of an object. DTDL v2 requires at least one of them. */
function itemsOf({ version, isStored }: Document, part: Part, maxItems: Record<2 | 3, number>): Part[] {
  const items = listOf(part, maxItems[isStored ? 3 : version])
  if (!isStored && version === 2 && items.length === 0) refuse(part.path, 'must have an item in DTDL v2')
  return items
}

/** @param type which may be left out in the document */
const readField = (doc: Document, part: Part, type: string, depth: number): Field =>
  fieldOf(elementOf(doc, part, { [type]: fieldFields }, type), depth)

export const fieldFields = ['name', 'schema', 'unit']

export function fieldOf(element: Element, depth = 0): Field {
  const { doc } = element
  const part = partOf(element, 'schema')
  if (part.value === undefined) refuse(part.path, 'must be given')
  const schema = readSchema(doc, part, depth)
  const quantity = element.otherTypes.find(isQuantity)
  if (quantity && !doc.isStored && !isNumber(schema))
    refuse(part.path, `must be a number, since it is a ${quantity}`)
  if (!doc.isStored) checkSchemaOfAddedTypes(element, schema)
  return { ...namedOf(element), schema, unit: unitOf(element) }
}

/** Whether values of it hold arrays; geometries do. */
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
