/** Reading a DTDL document part by part, so that each refusal names the place. (DTDL v2 and v3 reference) */
import { ApiError, type Issue, validationError } from '../../../http/errors.ts'

/** A document under reading, and what holds for all of it. */
export interface Document {
  version: 2 | 3
  /** Contexts of the interface and of the elements around the one that is being read. */
  contexts: string[]
  /** A context that DTDL does not know, which DTDL v2 allows: it brings types and fields of its own. */
  hasUnknownContext: boolean
  /** On record already: what an older version of the platform let through does not make the model unusable. */
  isStored: boolean
  /** In the interface of a component, which holds no components itself. */
  isInComponent: boolean
  /** Where each DTMI of the document is defined. */
  ids: Map<string, string>
  /** The interface's reusable schemas by their DTMI. */
  schemas: Map<string, Part>
  /** Size of the text in the model, which decides how large answers about it get. */
  total: { characters: number }
  issues: Issue[]
}

/** @property path such as `definition.contents.0.name` */
export interface Part {
  value: unknown
  path: string
}

/** An object of the document, its type known and its fields allowed. */
export interface Element {
  /** The document as this element sees it: `@context` may stand in it again. */
  doc: Document
  type: string
  /** Types that stand beside it, such as `Temperature`. */
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

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** To JSON-LD a single item stands for a list of one. @param maxItems DTDL's, or the platform's own where DTDL has none */
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

/** To JSON-LD `5`, `[5]` and `{"@value": 5}` are the same. */
export function readLiteral({ value, path }: Part, datatype: string): unknown {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (!isObject(single) || !Object.hasOwn(single, '@value')) return single
  const type = single['@type'] ?? datatype
  if (type !== datatype) return refuse(`${path}.@type`, `must be ${datatype}`)
  return single['@value']
}

/** Not beside `@value`, though DTDL v2 lets unknown keywords stand there. */
const NOT_BESIDE_VALUE = ['@context', '@graph', '@id', '@type']

/** @param others what may stand beside `@value` */
export function checkValueObject({ version }: Document, { value, path }: Part, others: string[]): void {
  const isKnown = (key: string) => key === '@value' || others.includes(key)
  const isUnknownKeyword = (key: string) => key.startsWith('@') && !NOT_BESIDE_VALUE.includes(key)
  const odd = Object.keys(value as object).find(
    (key) => !isKnown(key) && !(version === 2 && isUnknownKeyword(key)),
  )
  if (odd !== undefined)
    refuse(`${path}.${odd}`, `must not stand beside @value; only ${others.join(', ')} may`)
}

/** A DTMI or a term; to JSON-LD `{"@id": "dtmi:a;1"}` is the same as `"dtmi:a;1"`. Anything else as it is. */
export function readReference({ value, path }: Part): Part {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  const isReference = isObject(single) && Object.keys(single).length === 1 && Object.hasOwn(single, '@id')
  return { value: isReference ? single['@id'] : single, path }
}
