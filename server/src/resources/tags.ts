/** Tags of a resource, and the filter over them. [docs/files#tags] */
import Type, { type Static } from 'typebox'
import { validationError } from '../http/errors.ts'

export const MAX_TAGS = 50
export const MAX_CHARACTERS = 128
const MAX_FILTERS = 20
const MAX_ALTERNATIVES = 50

const TagText = Type.String({ minLength: 1, maxLength: MAX_CHARACTERS })

export const Tags = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    { additionalProperties: TagText, propertyNames: TagText, maxProperties: MAX_TAGS, title: 'Tags' },
  ),
)
export type Tags = Static<typeof Tags>

/** @throws validation_error for `__proto__`, which JavaScript objects cannot have as a key */
export function requireStorableTags(tags: Tags): void {
  if (Object.hasOwn(tags, '__proto__'))
    throw validationError({ path: 'tags', message: 'cannot hold __proto__' })
}

export interface Tag {
  key: string
  value: string
}

/** Pages of the tags in use. [docs/files#tags] */
export const TagPageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 }),
  // A tag has up to 256 characters, each of which may be escaped.
  cursor: Type.Optional(Type.String({ maxLength: 4096 })),
})

export const makeTagKey = ({ key, value }: Tag): string => JSON.stringify([key, value])

/** @returns undefined for a text that `makeTagKey` has not made */
export function readTagKey(text: string): Tag | undefined {
  try {
    const [key, value] = JSON.parse(text) as unknown[]
    return typeof key === 'string' && typeof value === 'string' ? { key, value } : undefined
  } catch {
    return undefined
  }
}

/** @returns each key with its values, in their order */
export function groupTags(tags: Tag[]): Record<string, string[]> {
  const grouped = new Map<string, string[]>()
  for (const { key, value } of tags) {
    const values = grouped.get(key)
    if (values) values.push(value)
    else grouped.set(key, [value])
  }
  return Object.fromEntries(grouped)
}

/**
 * Reads filters: `type:logo|type:image` and `type:logo|image` match either tag. The first `:` ends the key; `\` before
 * `|`, `:` or `\` escapes it.
 * @returns a list of alternatives for each `tag`; one of each list must match
 * @throws validation_error
 */
export function readTagFilters(given: string[]): Tag[][] {
  if (given.length > MAX_FILTERS) refuse(`may stand at most ${MAX_FILTERS} times`)
  return given.map(readAlternatives)
}

function readAlternatives(text: string): Tag[] {
  const parts = splitAt('|', text)
  if (parts.length > MAX_ALTERNATIVES) refuse(`has at most ${MAX_ALTERNATIVES} alternatives`)
  let lastKey: string | undefined
  return parts.map((part) => {
    const [first, ...rest] = splitAt(':', part)
    const key = rest.length > 0 ? plain(first!) : lastKey
    const value = plain(rest.length > 0 ? rest.join(':') : first!)
    if (!key || !value) return refuse(`is key:value, such as tag=type:logo; found ${JSON.stringify(part)}`)
    lastKey = key
    return { key, value }
  })
}

/** Splits at separators that are not escaped by a backslash. */
const splitAt = (separator: '|' | ':', text: string): string[] => {
  const parts = ['']
  for (const [token] of text.matchAll(/\\[^]|[^]/gu))
    if (token === separator) parts.push('')
    else parts[parts.length - 1] += token
  return parts
}

const plain = (text: string) => text.replace(/\\([|:\\])/g, '$1')

const refuse = (message: string): never => {
  throw validationError({ path: 'tag', message })
}
