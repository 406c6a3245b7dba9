/** Reads a DTDL document part by part, so that each refusal names the path. (DTDL v2 and v3 reference) */
import { ApiError, type Issue, validationError } from '../../../http/errors.ts'

/** The state of reading a document. */
export interface Document {
  version: 2 | 3
  /** Contexts of the interface and of the elements around the current one. */
  contexts: string[]
  /** Whether a context is unknown, which DTDL v2 allows: it may define types and fields of its own. */
  hasUnknownContext: boolean
  /** Whether the model is stored already. Defects that an older version accepted do not make it unusable. */
  isStored: boolean
  /** Whether this is the interface of a component, which must not contain components. */
  isInComponent: boolean
  /** The path at which each DTMI of the document is defined. */
  ids: Map<string, string>
  /** The interface's reusable schemas by DTMI. */
  schemas: Map<string, Part>
  /** The size of the model's text, which determines the size of answers about it. */
  total: { characters: number }
  issues: Issue[]
}

/** @property path such as `definition.contents.0.name` */
export interface Part {
  value: unknown
  path: string
}

/** An object of the document with a known type and allowed fields. */
export interface Element {
  /** The document as this element sees it, since an element may have its own `@context`. */
  doc: Document
  type: string
  /** Additional types, such as `Temperature`. */
  otherTypes: string[]
  fields: Record<string, unknown>
  path: string
}

export const refuse = (path: string, message: string): never => {
  throw validationError({ path, message })
}

export const fieldPart = ({ fields, path }: Element, field: string): Part => ({
  value: fields[field],
  path: `${path}.${field}`,
})

/** The greatest number of problems in a refusal. */
export const MAX_ISSUES = 20

/** Reads each part and collects the problems, so that an author sees more than the first one. */
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

/** @throws validation_error with the problems found so far */
export function refuseIssues({ issues }: Document): void {
  if (issues.length > 0) throw validationError(...issues)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * In JSON-LD a single item means a list of one. @param maxItems a limit of DTDL, or of the platform if DTDL has none
 */
export function readList({ value = [], path }: Part, maxItems: number): Part[] {
  if (!Array.isArray(value)) return [{ value, path }]
  if (value.length > maxItems) return refuse(path, `must not have more than ${maxItems} items`)
  return value.map((item, index) => ({ value: item, path: `${path}.${index}` }))
}

export function readText(part: Part, maxLength: number): string {
  const { path } = part
  const value = readLiteral(part, 'xsd:string')
  if (typeof value !== 'string') return refuse(path, 'must be a string')
  return value.length <= maxLength ? value : refuse(path, `must not be longer than ${maxLength} characters`)
}

export function readBoolean(part: Part): boolean {
  const value = readLiteral(part, 'xsd:boolean') ?? false
  return typeof value === 'boolean' ? value : refuse(part.path, 'must be true or false')
}

export function readInteger(part: Part): number {
  const value = readLiteral(part, 'xsd:integer')
  return Number.isInteger(value) ? (value as number) : refuse(part.path, 'must be a whole number')
}

/** In JSON-LD `5`, `[5]` and `{"@value": 5}` are the same. */
export function readLiteral({ value, path }: Part, datatype: string): unknown {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (!isObject(single) || !Object.hasOwn(single, '@value')) return single
  const type = single['@type'] ?? datatype
  if (type !== datatype) return refuse(`${path}.@type`, `must be ${datatype}`)
  return single['@value']
}

/** Keywords that may not accompany `@value`, though DTDL v2 allows unknown ones. */
const NOT_BESIDE_VALUE = ['@context', '@graph', '@id', '@type']

/** @param others the keywords that may accompany `@value` */
export function checkValueObject({ version }: Document, { value, path }: Part, others: string[]): void {
  const isKnown = (key: string) => key === '@value' || others.includes(key)
  const isUnknownKeyword = (key: string) => key.startsWith('@') && !NOT_BESIDE_VALUE.includes(key)
  const odd = Object.keys(value as object).find(
    (key) => !isKnown(key) && !(version === 2 && isUnknownKeyword(key)),
  )
  if (odd !== undefined)
    refuse(`${path}.${odd}`, `must not stand beside @value; only ${others.join(', ')} may`)
}

/**
 * Reads a DTMI or a term: in JSON-LD `{"@id": "dtmi:a;1"}` is the same as `"dtmi:a;1"`. Other values stay unchanged.
 */
export function readReference({ value, path }: Part): Part {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  const isReference = isObject(single) && Object.keys(single).length === 1 && Object.hasOwn(single, '@id')
  return { value: isReference ? single['@id'] : single, path }
}
