/** An element of a DTDL document: its types and its fields, in any of the forms that JSON-LD has for them. */
import {
  type Document,
  type Element,
  isObject,
  literalOf,
  type Part,
  partOf,
  refuse,
  textOf,
} from './document.ts'
import { dtmiOf, isDtmi, labelsOf, RESERVED } from './names.ts'
import { checkSemanticType, isQuantity } from './quantities.ts'

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
  const fields = withTerms(value)
  const typePart = { value: fields['@type'] ?? untyped, path: `${path}.@type` }
  const element = { ...typesOf(doc, typePart, Object.keys(types)), fields, path }
  refuseUnknownFields(doc, element, [...everywhere, ...types[element.type]!])
  if (fields.comment !== undefined) textOf(partOf(element, 'comment'), MAX_COMMENT)
  if (doc.isStored) return element
  checkId(doc, partOf(element, '@id'))
  // They are checked also where nothing shows them.
  labelsOf(doc, element)
  checkSemanticType(doc, element)
  return element
}

const everywhere = ['@type', '@id', 'comment', 'displayName', 'description']
const MAX_COMMENT = 512
const PROPERTY = /^dtmi:dtdl:property:([A-Za-z]+);[23]$/
const CLASS = /^dtmi:dtdl:class:([A-Za-z]+);[23]$/

/** `dtmi:dtdl:property:contents;2` is what the term `contents` stands for. */
function withTerms(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(fields).some((field) => PROPERTY.test(field))) return fields
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [PROPERTY.exec(field)?.[1] ?? field, value]),
  )
}

function refuseUnknownFields(doc: Document, element: Element, allowed: string[]) {
  const { type, otherTypes, fields, path } = element
  const unknown = Object.keys(fields).find((field) => !allowed.includes(field))
  // An extension, and to DTDL v2 a type that it does not know, may bring any field.
  const mayHaveOthers = doc.hasExtensions || otherTypes.some((other) => !isQuantity(other))
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
    if (!doc.isStored && (typeof other !== 'string' || !isOtherType(other)))
      return refuse(path, `must not have ${JSON.stringify(other)?.slice(0, 80)} beside ${known[0]}`)
  return { type: known[0]!, otherTypes: others.filter((other) => typeof other === 'string') }
}

const termOf = (type: string) => CLASS.exec(type)?.[1] ?? type

/** DTDL's own: an element is of one of them. */
const ownTypes = new Set(
  (
    'Interface Telemetry Property Command Component Relationship CommandPayload CommandRequest CommandResponse ' +
    'CommandType Unit Array Enum EnumValue Map MapKey MapValue Object Field'
  ).split(' '),
)
const isOtherType = (type: string) =>
  !ownTypes.has(type) && (isDtmi(type) || /^[A-Za-z][A-Za-z0-9_]*$/.test(type))

function checkId(doc: Document, part: Part): void {
  const { path } = part
  if (part.value === undefined) return
  const id = dtmiOf({ value: literalOf(part, 'xsd:string'), path })
  if (RESERVED.test(id)) refuse(path, 'must not begin with dtmi:dtdl: or dtmi:standard:')
  // A schema that is named in several places is read for each of them.
  const definedAt = doc.ids.get(id) ?? path
  if (definedAt !== path) refuse(path, `is the id of ${definedAt.replace(/\.@id$/, '')}, too`)
  doc.ids.set(id, path)
}
