/** An element of a DTDL document: its types and its fields, in any of the forms that JSON-LD has for them. */
import {
  type Document,
  checkValueObject,
  type Element,
  isObject,
  literalOf,
  type Part,
  partOf,
  refuse,
  textOf,
} from './document.ts'
import { dtmiOf, isDtmi, labelsOf, RESERVED } from './names.ts'
import { checkExtensionTypes } from './extensions.ts'
import { checkSemanticType, isQuantity, isUnitType } from './quantities.ts'

/**
 * @param types each with its fields beyond those that every element has. `@type` must name one of them; semantic types
 *   and types of extensions may stand beside it
 * @param untyped what it is where `@type` is left out
 */
export function elementOf(
  doc: Document,
  { value, path }: Part,
  types: Record<string, string[]>,
  untyped?: string,
): Element {
  if (!isObject(value)) return refuse(path, 'must be an object')
  const fields = withoutEmpty(withTerms(doc, { value, path }))
  const typePart = { value: fields['@type'] ?? untyped, path: `${path}.@type` }
  const element = { ...typesOf(doc, typePart, Object.keys(types)), fields, path }
  refuseUnknownFields(doc, element, [...everywhere, ...types[element.type]!])
  if (fields.comment !== undefined) textOf(partOf(element, 'comment'), MAX_COMMENT)
  if (doc.isStored) return element
  checkContext(doc, element)
  checkLiterals(doc, element)
  checkId(doc, partOf(element, '@id'))
  // They are checked also where nothing shows them.
  labelsOf(doc, element)
  checkSemanticType(doc, element)
  checkExtensionTypes(doc, element)
  return element
}

const everywhere = ['@context', '@type', '@id', 'comment', 'displayName', 'description']
const MAX_COMMENT = 512
const PROPERTY = /^dtmi:dtdl:property:([A-Za-z]+);[23]$/
const CLASS = /^dtmi:dtdl:class:([A-Za-z]+);[23]$/

const UNIT = 'dtmi:dtdl:extension:quantitativeTypes:v1:property:unit'

/** `dtmi:dtdl:property:contents;2` is what the term `contents` stands for. */
const fieldTermOf = (field: string) => (field === UNIT ? 'unit' : (PROPERTY.exec(field)?.[1] ?? field))

function withTerms({ isStored }: Document, { value, path }: Part): Record<string, unknown> {
  const fields = value as Record<string, unknown>
  const entries = Object.entries(fields).map(([field, item]) => [fieldTermOf(field), item] as const)
  const seen = new Set<string>()
  for (const [term] of entries) {
    if (!isStored && seen.has(term)) refuse(`${path}.${term}`, 'is given twice, by its term and by its DTMI')
    seen.add(term)
  }
  return Object.fromEntries(entries)
}

/** In JSON-LD an empty list of these is the same as none. */
const optional = ['comment', 'writable', 'minMultiplicity', 'maxMultiplicity', 'target', 'commandType']

const withoutEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => !(optional.includes(field) && Array.isArray(value) && value.length === 0),
    ),
  )

const literals = ['comment', 'name', 'writable', 'minMultiplicity', 'maxMultiplicity', 'enumValue']

function checkLiterals(doc: Document, { fields, path }: Element): void {
  for (const field of literals) {
    const value = fields[field]
    if (value === null) refuse(`${path}.${field}`, 'must not be null; leave it out instead')
    const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (isObject(single) && Object.hasOwn(single, '@value'))
      checkValueObject(doc, { value: single, path: `${path}.${field}` }, ['@type'])
  }
}

/** That of an interface within an interface is checked where it is read. */
function checkContext({ contexts }: Document, { type, fields, path }: Element): void {
  const context = fields['@context']
  if (type === 'Interface' || context === undefined) return
  const named: unknown[] = Array.isArray(context) ? context : [context]
  if (!named.every((name) => contexts.some((known) => known === name)))
    refuse(`${path}.@context`, 'must not name other contexts than the interface does')
}

function refuseUnknownFields(doc: Document, element: Element, allowed: string[]) {
  const { type, otherTypes, fields, path } = element
  // DTDL v2 lets keywords of JSON-LD through, and others like them, that mean nothing here.
  const isKnown = (field: string) =>
    allowed.includes(field) || (doc.version === 2 && field.startsWith('@') && field !== '@graph')
  const unknown = Object.keys(fields).find((field) => !isKnown(field))
  // A type of an extension, and to DTDL v2 a type that it does not know, may bring any field.
  const mayHaveOthers = (doc.isStored && doc.hasExtensions) || otherTypes.some((other) => !isQuantity(other))
  if (unknown === undefined || (mayHaveOthers && unknown !== '__proto__')) return
  refuse(`${path}.${unknown}`, `is not known of ${type}, which has ${allowed.join(', ')}`)
}

function typesOf(doc: Document, { value, path }: Part, types: string[]) {
  const listed: unknown[] = Array.isArray(value) ? value : [value]
  const named = [...new Set(listed.map((type) => (typeof type === 'string' ? termOf(type) : type)))]
  const known = types.filter((type) => named.includes(type))
  const others = named.filter((type) => type !== known[0])
  const mayHaveOthers = doc.version === 2 || doc.hasExtensions
  const alone = known.length === 1 ? ' alone, unless @context names an extension' : ''
  if (known.length !== 1 || (others.length > 0 && !mayHaveOthers))
    return refuse(path, `must be ${types.join(' or ')}${alone}`)
  for (const other of others)
    if (!doc.isStored && (typeof other !== 'string' || !isOtherType(doc, other)))
      return refuse(path, `must not have ${JSON.stringify(other)?.slice(0, 80)} beside ${known[0]}`)
  return { type: known[0]!, otherTypes: others.filter((other) => typeof other === 'string') }
}

const termOf = (type: string) => CLASS.exec(type)?.[1] ?? type

/** DTDL's own types, of which an element is one, those that are abstract, and terms that are no types. */
const ownTerms = new Set(
  (
    'Interface Telemetry Property Command Component Relationship CommandPayload CommandRequest CommandResponse ' +
    'CommandType Unit Array Enum EnumValue Map MapKey MapValue Object Field ' +
    'Boolean Date DateTime Double Duration Float Integer Long String Time UnitAttribute LatentType ' +
    'Entity NamedEntity Content Schema ComplexSchema PrimitiveSchema NumericSchema TemporalSchema ' +
    'SemanticType SemanticUnit ' +
    'comment commandType contents description displayName elementSchema enumValue enumValues extends fields ' +
    'mapKey mapValue maxMultiplicity minMultiplicity name properties request response schema schemas target ' +
    'unit valueSchema writable'
  ).split(' '),
)

/** DTDL v2 lets anything stand there that it does not know, DTDL v3 types of extensions. */
function isOtherType({ version }: Document, type: string): boolean {
  if (ownTerms.has(type) || isUnitType(type) || /^dtmi:dtdl:(?!extension:)/.test(type)) return false
  if (type.startsWith('dtmi:')) return isDtmi(type)
  return version === 2 || /^[A-Za-z][A-Za-z0-9_]*$/.test(type)
}

function checkId(doc: Document, part: Part): void {
  const { path } = part
  if (part.value === undefined) return
  const id = dtmiOf({ value: literalOf(part, 'xsd:string'), path })
  if (RESERVED.test(id)) refuse(path, 'must not begin with dtmi:dtdl: or dtmi:standard:')
  if (doc.version === 2 && !/;[0-9]+$/.test(id))
    refuse(path, 'must end with a version of one number in DTDL v2, such as ;1')
  if (id.startsWith('dtmi:iotcentral:') && doc.contexts.some((name) => name.startsWith('dtmi:iotcentral:')))
    refuse(path, 'must not begin with dtmi:iotcentral:, which is reserved with its context')
  // A schema that is named in several places is read for each of them.
  const definedAt = doc.ids.get(id) ?? path
  if (definedAt !== path) refuse(path, `is the id of ${definedAt.replace(/\.@id$/, '')}, too`)
  doc.ids.set(id, path)
}
