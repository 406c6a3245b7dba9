/** Reads an element of a DTDL document: its types and fields, in every form that JSON-LD allows. */
import {
  type Document,
  checkValueObject,
  type Element,
  isObject,
  type Part,
  fieldPart,
  refuse,
  readText,
} from './document.ts'
import { enterContext } from './context.ts'
import { listAddedFields, checkAddedTypes, isAddedType, QUANTITIES } from './extensions.ts'
import { DTMI, readDtmi, readLabels, RESERVED } from './names.ts'
import { checkSemanticType, isQuantity, isUnitType } from './quantities.ts'

/**
 * @param types each with its fields beyond those that every element has. `@type` must name one of them; semantic types
 *   and types of extensions may stand beside it
 * @param untyped what it is where `@type` is left out
 */
export function readElement(
  doc: Document,
  { value: given, path }: Part,
  types: Record<string, string[]>,
  untyped?: string,
): Element {
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (!isObject(value)) return refuse(path, 'must be an object')
  const inside = enterContext(doc, { value, path })
  const fields = withoutEmpty(withTerms(inside, { value, path }))
  const typePart = { value: fields['@type'] ?? untyped, path: `${path}.@type` }
  const element = { doc: inside, ...readTypes(inside, typePart, Object.keys(types)), fields, path }
  refuseUnknownFields(element, [...everywhere, ...types[element.type]!])
  if (fields.comment !== undefined) readText(fieldPart(element, 'comment'), MAX_COMMENT)
  if (doc.isStored) return element
  if (inside.version !== doc.version && !mayBeOlder.includes(element.type))
    refuse(`${path}.@context`, `must name DTDL v${doc.version}, as the element around it does`)
  checkLiterals(element)
  checkId(inside, fieldPart(element, '@id'))
  // Labels are checked even if nothing shows them.
  readLabels(element)
  checkSemanticType(element)
  checkAddedTypes(element)
  return element
}

/** Elements that may use DTDL v2 inside a model of DTDL v3. */
const mayBeOlder = 'Interface Telemetry Property Command Component Relationship Array Enum Map Object'.split(
  ' ',
)

const everywhere = ['@context', '@type', '@id', 'comment', 'displayName', 'description']
const MAX_COMMENT = 512
const PROPERTY = /^dtmi:dtdl:property:([A-Za-z]+);([23])$/
const CLASS = /^dtmi:dtdl:class:([A-Za-z]+);([23])$/

const UNIT = 'dtmi:dtdl:extension:quantitativeTypes:v1:property:unit'

/** Replaces a DTMI such as `dtmi:dtdl:property:contents;2` by its term `contents`. */
function fieldTerm({ isStored, version }: Document, field: string): string {
  const [, term, termVersion] = PROPERTY.exec(field) ?? []
  if (term && (isStored || Number(termVersion) === version)) return term
  return field === UNIT ? 'unit' : field
}

function withTerms(doc: Document, { value, path }: Part): Record<string, unknown> {
  const { isStored } = doc
  const fields = value as Record<string, unknown>
  const entries = Object.entries(fields).map(([field, item]) => [fieldTerm(doc, field), item] as const)
  const seen = new Set<string>()
  for (const [term] of entries) {
    if (!isStored && seen.has(term)) refuse(`${path}.${term}`, 'is given twice, by its term and by its DTMI')
    seen.add(term)
  }
  return Object.fromEntries(entries)
}

/** Fields whose empty list means the same as none in JSON-LD. */
const optional = 'comment writable minMultiplicity maxMultiplicity target commandType request response'.split(
  ' ',
)

const withoutEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => !(optional.includes(field) && Array.isArray(value) && value.length === 0),
    ),
  )

const literals = ['comment', 'name', 'writable', 'minMultiplicity', 'maxMultiplicity', 'enumValue']

function checkLiterals({ doc, fields, path }: Element): void {
  for (const field of literals) {
    const value = fields[field]
    if (value === null) refuse(`${path}.${field}`, 'must not be null; leave it out instead')
    const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (!isObject(single) || !Object.hasOwn(single, '@value')) continue
    if (single['@value'] === null) refuse(`${path}.${field}`, 'must not be null; leave it out instead')
    checkValueObject(doc, { value: single, path: `${path}.${field}` }, ['@type'])
  }
}

function refuseUnknownFields(element: Element, own: string[]) {
  const { doc, type, otherTypes, fields, path } = element
  const allowed = [...own, ...listAddedFields(element)]
  // DTDL v2 allows keywords of JSON-LD and similar ones, which have no meaning here.
  const isKnown = (field: string) =>
    allowed.includes(field) || (doc.version === 2 && field.startsWith('@') && field !== '@graph')
  const unknown = Object.keys(fields).find((field) => !isKnown(field))
  // A type that DTDL v2 does not know may define any field.
  const mayHaveOthers =
    (doc.isStored && doc.hasUnknownContext) ||
    (doc.version === 2 && otherTypes.some((other) => !isQuantity(other) && !isAddedType(element, other)))
  if (unknown === undefined || (mayHaveOthers && unknown !== '__proto__')) return
  refuse(`${path}.${unknown}`, `is not known of ${type}, which has ${allowed.join(', ')}`)
}

/** The platform's own limit. */
const MAX_TYPES = 100

function readTypes(doc: Document, { value, path }: Part, types: string[]) {
  const listed: unknown[] = Array.isArray(value) ? value : [value]
  if (!doc.isStored && listed.length > MAX_TYPES) refuse(path, `must not name more than ${MAX_TYPES} types`)
  const named = [...new Set(listed.map((type) => (typeof type === 'string' ? typeTerm(doc, type) : type)))]
  const known = types.filter((type) => named.includes(type))
  const others = named.filter((type) => type !== known[0])
  if (known.length !== 1) return refuse(path, `must be ${types.join(' or ')}`)
  for (const other of others)
    if (!doc.isStored && (typeof other !== 'string' || !isOtherType(doc, other)))
      return refuse(
        path,
        `must not have ${JSON.stringify(other)?.slice(0, 80)} beside ${known[0]}: no context of it has that type`,
      )
  return { type: known[0]!, otherTypes: others.filter((other) => typeof other === 'string') }
}

const typeTerm = ({ isStored, version }: Document, type: string) => {
  const [, term, classVersion] = CLASS.exec(type) ?? []
  return term && (isStored || Number(classVersion) === version) ? term : type
}

/** DTDL's own types, including abstract ones. */
const ownTypes = new Set(
  (
    'Interface Telemetry Property Command Component Relationship CommandPayload CommandRequest CommandResponse ' +
    'CommandType Unit Array Enum EnumValue Map MapKey MapValue Object Field ' +
    'Boolean Date DateTime Double Duration Float Integer Long String Time UnitAttribute LatentType ' +
    'Entity NamedEntity Content Schema ComplexSchema PrimitiveSchema NumericSchema TemporalSchema ' +
    'SemanticType SemanticUnit'
  ).split(' '),
)
/** Terms of DTDL that are not types. */
const otherTerms = new Set(
  (
    'comment commandType contents description displayName elementSchema enumValue enumValues extends fields ' +
    'mapKey mapValue maxMultiplicity minMultiplicity name properties request response schema schemas target ' +
    'unit valueSchema writable'
  ).split(' '),
)

/**
 * Whether an element may have this additional type: DTDL v2 allows any unknown type, DTDL v3 the types of named
 * extensions.
 */
function isOtherType(doc: Document, type: string): boolean {
  if (isAddedType({ doc }, type)) return true
  if (doc.version === 3) return isQuantity(type) && doc.contexts.includes(QUANTITIES)
  if (ownTypes.has(type) || isUnitType(type) || /^dtmi:dtdl:(?!extension:)/.test(type)) return false
  if (otherTerms.has(type)) return doc.hasUnknownContext
  return !type.startsWith('dtmi:') || isQuantity(type) || (doc.hasUnknownContext && DTMI[2].test(type))
}

function checkId(doc: Document, part: Part): void {
  const { path } = part
  if (part.value === undefined) return
  if (typeof part.value !== 'string') refuse(path, 'must be a string')
  const id = readDtmi(doc, part)
  if (RESERVED.test(id)) refuse(path, 'must not begin with dtmi:dtdl: or dtmi:standard:')
  if (id.startsWith('dtmi:iotcentral:') && doc.contexts.some((name) => name.startsWith('dtmi:iotcentral:')))
    refuse(path, 'must not begin with dtmi:iotcentral:, which is reserved with its context')
  // A reusable schema is read once for every place that names it.
  const definedAt = doc.ids.get(id) ?? path
  if (definedAt !== path) refuse(path, `is the id of ${definedAt.replace(/\.@id$/, '')}, too`)
  doc.ids.set(id, path)
}
