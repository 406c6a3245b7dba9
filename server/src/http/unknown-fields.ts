/** Describes unknown body fields and query parameters, with the nearest known name. */
import type { TSchema } from 'typebox'
import { findNearestName } from '../lib/nearest.ts'
import type { Issue } from './errors.ts'

/** A message with more names does not help. */
const MAX_LISTED = 20
const MAX_NAME_CHARACTERS = 128

interface Known {
  /** Such as `field` or `query parameter`. */
  noun: string
  /** Names that other platforms use → field. */
  synonyms?: Readonly<Record<string, string>>
}

/** The parts of a JSON schema that define the fields of objects. */
interface Shape {
  properties?: Record<string, Shape>
  additionalProperties?: unknown
  patternProperties?: unknown
  items?: Shape
  anyOf?: Shape[]
  allOf?: Shape[]
}

/**
 * @param schemas a field of any of them is known
 * @returns finds the issues of a value of any type; types are not checked here
 */
export function createUnknownFieldFinder(
  schemas: TSchema[],
  known: Known,
): (value: unknown) => Iterable<Issue> {
  const alternatives = (schemas as Shape[]).flatMap(listAlternatives)
  const fields = prepareFields(alternatives)
  return (value) =>
    hasUnknownField(fields, value) ? issuesWithin(alternatives, value, { known, path: '' }) : []
}

/** The known fields of a schema, prepared once for the checks of large bodies. */
interface Fields {
  /** Whether an object may have only known fields. */
  isClosed: boolean
  /** @returns undefined for an unknown field */
  child(name: string): Fields | undefined
  items(): Fields
}

/** Children are prepared when they are needed: most schemas never are. */
function prepareFields(alternatives: Shape[]): Fields {
  const objects = alternatives.filter((shape) => shape.properties !== undefined)
  const children = new Map<string, Fields>()
  let items: Fields | undefined
  return {
    isClosed: objects.length > 0 && !alternatives.some(isOpen),
    child(name) {
      const present = children.get(name)
      if (present) return present
      const shapes = objects.flatMap((shape) => ownField(shape, name))
      if (shapes.length === 0) return undefined
      const child = prepareFields(shapes.flatMap(listAlternatives))
      children.set(name, child)
      return child
    },
    items: () => (items ??= prepareFields(listItems(alternatives))),
  }
}

function hasUnknownField(fields: Fields, value: unknown): boolean {
  if (!hasParts(value)) return false
  if (Array.isArray(value)) {
    const items = fields.items()
    return value.some((item) => hasUnknownField(items, item))
  }
  if (!fields.isClosed) return false
  for (const name in value) {
    const child = fields.child(name)
    if (!child || hasUnknownField(child, (value as Record<string, unknown>)[name])) return true
  }
  return false
}

const listItems = (alternatives: Shape[]): Shape[] =>
  alternatives.flatMap((shape) => shape.items ?? []).flatMap(listAlternatives)

interface Place {
  known: Known
  path: string
}

const within = ({ known, path }: Place, key: string | number): Place => ({
  known,
  path: path === '' ? String(key) : `${path}.${key}`,
})

function* issuesWithin(alternatives: Shape[], value: unknown, place: Place): Generator<Issue> {
  if (!hasParts(value)) return
  if (Array.isArray(value)) {
    // Listed once for all items, of which there may be very many.
    const items = listItems(alternatives)
    for (const [index, item] of value.entries())
      if (hasParts(item)) yield* issuesWithin(items, item, within(place, index))
    return
  }
  const objects = alternatives.filter((shape) => shape.properties !== undefined)
  if (objects.length === 0 || alternatives.some(isOpen)) return
  for (const [key, child] of Object.entries(value)) {
    const fields = objects.flatMap((shape) => ownField(shape, key))
    if (fields.length === 0)
      yield {
        path: within(place, printableName(key)).path,
        message: describeUnknown(key, listNames(objects), place.known),
      }
    else if (hasParts(child)) yield* issuesWithin(fields.flatMap(listAlternatives), child, within(place, key))
  }
}

/** A large body is mostly simple values, for which a path and a generator each would cost more than their validation. */
const hasParts = (value: unknown): value is object => typeof value === 'object' && value !== null

const listNames = (objects: Shape[]): string[] => [
  ...new Set(objects.flatMap((shape) => Object.keys(shape.properties!))),
]

/** Fields of all branches are known, since the branch that the caller meant is not. */
const listAlternatives = (shape: Shape): Shape[] =>
  shape.anyOf || shape.allOf
    ? [shape, ...[...(shape.anyOf ?? []), ...(shape.allOf ?? [])].flatMap(listAlternatives)]
    : [shape]

const isOpen = ({ additionalProperties = false, patternProperties }: Shape) =>
  additionalProperties !== false || patternProperties !== undefined

const ownField = ({ properties }: Shape, key: string): Shape[] =>
  Object.hasOwn(properties!, key) ? [properties![key]!] : []

/** Shortens and cleans a name that the caller chose. */
export const printableName = (name: string): string =>
  name
    .slice(0, MAX_NAME_CHARACTERS)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\ufffd')

/** @returns a sentence part that follows the name */
export function describeUnknown(name: string, names: string[], { noun, synonyms = {} }: Known): string {
  if (names.length === 0) return `is not known: there is no ${noun} here`
  const meant = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined
  const nearest = meant ?? findNearestName(name, names)
  const question = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  const listed = names.length > MAX_LISTED ? '' : ` Known: ${names.join(', ')}.`
  return `is no known ${noun}.${question}${listed}`
}
