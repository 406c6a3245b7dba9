/** Reading a DTDL document part by part, so that each refusal names the place. (DTDL v2 and v3 reference) */
import { ApiError, type Issue, validationError } from '../../../http/errors.ts'

/** A document under reading, and what holds for all of it. */
export interface Document {
  version: 2 | 3
  /** Extensions add types and fields of their own, which are let through. */
  hasExtensions: boolean
  /** The interface's reusable schemas by their DTMI. */
  schemas: Map<string, Part>
  /** Characters, those of a schema again for each time that it is named: what answers about the model grow with. */
  size: number
  issues: Issue[]
}

/** @property path such as `definition.contents.0.name` */
export interface Part {
  value: unknown
  path: string
}

/** An object of the document, its type known and its fields allowed. */
export interface Element {
  type: string
  fields: Record<string, unknown>
  path: string
}

export const refuse = (path: string, message: string): never => {
  throw validationError({ path, message })
}

export const partOf = ({ fields, path }: Element, field: string): Part => ({
  value: fields[field],
  path: `${path}.${field}`,
})

/** A refusal names no more than this. */
export const MAX_ISSUES = 20

/** Reads each and keeps the problems, so that an author sees more than the first. */
export const readEach = <T>(doc: Document, parts: Part[], read: (part: Part) => T): T[] =>
  parts.flatMap((part) => {
    if (doc.issues.length >= MAX_ISSUES) return []
    try {
      return [read(part)]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      doc.issues.push(...(error.details.issues as Issue[]))
      return []
    }
  })

/** @throws validation_error with what was found so far */
export function refuseIssues({ issues }: Document): void {
  if (issues.length > 0) throw validationError(...issues)
}

/**
 * @param types each with its fields beyond those that every element has. `@type` must name one of them; types of
 *   extensions may stand beside it
 * @param untyped what it is where `@type` is left out
 */
export function elementOf(
  doc: Document,
  { value, path }: Part,
  types: Record<string, string[]>,
  untyped?: string,
): Element {
  if (!isObject(value)) return refuse(path, 'must be an object')
  const type = typeOf(doc, { value: value['@type'] ?? untyped, path: `${path}.@type` }, Object.keys(types))
  const element = { type, fields: value, path }
  if (!doc.hasExtensions) refuseUnknownFields(element, [...everywhere, ...types[type]!])
  if (value['@id'] !== undefined) textOf(partOf(element, '@id'), MAX_DTMI)
  if (value.comment !== undefined) textOf(partOf(element, 'comment'), MAX_COMMENT)
  return element
}

const everywhere = ['@type', '@id', 'comment', 'displayName', 'description']
const MAX_DTMI = 2048
const MAX_COMMENT = 512

function refuseUnknownFields({ type, fields, path }: Element, allowed: string[]) {
  const unknown = Object.keys(fields).find((field) => !allowed.includes(field))
  if (unknown !== undefined)
    refuse(`${path}.${unknown}`, `is not known of ${type}, which has ${allowed.join(', ')}`)
}

function typeOf(doc: Document, { value, path }: Part, types: string[]): string {
  const named: unknown[] = Array.isArray(value) ? value : [value]
  const known = types.filter((type) => named.includes(type))
  const mayHaveOthers = doc.version === 2 || doc.hasExtensions
  if (known.length === 1 && (named.length === 1 || mayHaveOthers)) return known[0]!
  const alone = known.length === 1 ? ' alone, unless @context names an extension' : ''
  return refuse(path, `must be ${types.join(' or ')}${alone}`)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param maxItems for want of one in DTDL, the platform's own */
export function listOf({ value = [], path }: Part, maxItems: number): Part[] {
  if (!Array.isArray(value)) return refuse(path, 'must be an array')
  if (value.length > maxItems) return refuse(path, `must not have more than ${maxItems} items`)
  return value.map((item, index) => ({ value: item, path: `${path}.${index}` }))
}

export function textOf({ value, path }: Part, maxLength: number): string {
  if (typeof value !== 'string') return refuse(path, 'must be a string')
  return value.length <= maxLength ? value : refuse(path, `must not be longer than ${maxLength} characters`)
}

export function booleanOf({ value = false, path }: Part): boolean {
  return typeof value === 'boolean' ? value : refuse(path, 'must be true or false')
}
