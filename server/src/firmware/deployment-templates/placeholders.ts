/**
 * A step's value is any JSON, with `{{name}}` in its strings: what the platform fills in, or a property value of the
 * release. A string that is one placeholder and nothing else takes the value's own type. [docs/firmware#deployment-templates]
 */
import type { Issue } from '../../http/errors.ts'

/** What the platform itself fills in. */
export const ownNames: readonly string[] = ['fileUrl', 'fileName', 'fileSha256', 'releaseName']

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const NOTHING_ELSE = /^\{\{([^{}]*)\}\}$/

/** Every name that the value asks for, each once. */
export function placeholdersIn(value: unknown): string[] {
  const names = new Set<string>()
  for (const text of stringsIn(value))
    for (const match of text.matchAll(PLACEHOLDER)) names.add(match[1]!.trim())
  return [...names]
}

/** What could never be filled in, whatever the release says. */
export function placeholderIssues(value: unknown, path: string): Issue[] {
  if (typeof value === 'string')
    return value.replace(PLACEHOLDER, '').includes('{{')
      ? [{ path, message: 'has {{ that no }} closes' }]
      : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key.includes('{{')
      ? [{ path, message: `must have its {{name}} in a value, not in the key ${key}` }]
      : []),
    ...placeholderIssues(child, `${path}.${key}`),
  ])
}

/** @param values has every name that the value asks for; they are put in once and never read as templates themselves */
export function render(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') return renderText(value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => render(item, values))
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, render(child, values)]))
}

function renderText(text: string, values: ReadonlyMap<string, unknown>): unknown {
  const only = NOTHING_ELSE.exec(text)?.[1]
  if (only !== undefined) return values.get(only.trim())
  return text.replace(PLACEHOLDER, (_all, name: string) => textOf(values.get(name.trim())))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}
