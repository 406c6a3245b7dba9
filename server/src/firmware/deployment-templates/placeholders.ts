/**
 * The value of a step is any JSON with `{{name}}` in its strings, which stands for a value of the platform or a property
 * value of the release. A string that is exactly one placeholder takes the type of the value.
 * [docs/firmware#deployment-templates]
 */
import type { Issue } from '../../http/errors.ts'

/** The names of values that the platform provides. */
export const platformNames: readonly string[] = ['fileUrl', 'fileName', 'fileSha256', 'releaseName']

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const SINGLE_PLACEHOLDER = /^\{\{([^{}]*)\}\}$/

/** Returns the distinct names in a value. */
export function listPlaceholders(value: unknown): string[] {
  const names = new Set<string>()
  for (const text of listStrings(value))
    for (const match of text.matchAll(PLACEHOLDER)) names.add(match[1]!.trim())
  return [...names]
}

/** Finds placeholders that are invalid for every release. */
export function findPlaceholderIssues(value: unknown, path: string): Issue[] {
  if (typeof value === 'string')
    return value.replace(PLACEHOLDER, '').includes('{{')
      ? [{ path, message: 'has {{ without a closing }}' }]
      : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key.includes('{{')
      ? [{ path, message: `must have {{name}} only in a value, not in the key ${key}` }]
      : []),
    ...findPlaceholderIssues(child, `${path}.${key}`),
  ])
}

/**
 * Measures what `render` would make, without making it: each of thousands of placeholders may stand for a long value.
 * @returns the number of characters in its texts and inserted values, at most as many as it has bytes in JSON
 */
export function measureRendered(value: unknown, values: ReadonlyMap<string, unknown>): number {
  const lengths = new Map<string, number>()
  const measure = (name: string) => {
    const known = lengths.get(name)
    if (known !== undefined) return known
    const found = values.get(name)
    const length = found === undefined ? 0 : toText(found).length
    lengths.set(name, length)
    return length
  }
  let total = 0
  for (const text of listStrings(value)) {
    total += text.length
    for (const [placeholder, name] of text.matchAll(PLACEHOLDER))
      total += measure(name!.trim()) - placeholder.length
  }
  return total
}

/** @param values has every name in the value; the inserted values are never interpreted as templates */
export function render(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') return renderText(value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => render(item, values))
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, render(child, values)]))
}

function renderText(text: string, values: ReadonlyMap<string, unknown>): unknown {
  const only = SINGLE_PLACEHOLDER.exec(text)?.[1]
  if (only !== undefined) return values.get(only.trim())
  return text.replace(PLACEHOLDER, (_all, name: string) => toText(values.get(name.trim())))
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listStrings)
}
