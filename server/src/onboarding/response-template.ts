/**
 * Response templates: any JSON object, `{{variable}}` standing in its strings. Checked when the group is saved, so that
 * rendering cannot fail when a device asks. [Response template variables; contract §10]
 */
import type { Issue } from '../http/errors.ts'

export const templateVariables = [
  'device.id',
  'device.primary_key',
  'device.secondary_key',
  'target.host',
  'target.port',
] as const

type TemplateVariable = (typeof templateVariables)[number]
export type TemplateValues = Record<TemplateVariable, string | number>
export type Template = Record<string, unknown>

const MAX_TEMPLATE_BYTES = 64 * 1024
export const MAX_TEMPLATE_DEPTH = 32

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const NOTHING_ELSE = /^\{\{([^{}]*)\}\}$/
const known: ReadonlySet<string> = new Set(templateVariables)

/** @returns what is wrong, each with its path; nothing when the template can be rendered */
export function templateIssues(template: Template, at = 'response_template'): Issue[] {
  if (Buffer.byteLength(JSON.stringify(template)) > MAX_TEMPLATE_BYTES)
    return [{ path: at, message: `must not be larger than ${MAX_TEMPLATE_BYTES} bytes` }]
  return issuesIn(template, at, MAX_TEMPLATE_DEPTH)
}

function issuesIn(value: unknown, path: string, depthLeft: number): Issue[] {
  if (typeof value === 'string') return issuesInText(value, path)
  if (typeof value !== 'object' || value === null) return []
  if (depthLeft === 0) return [{ path, message: `nests deeper than ${MAX_TEMPLATE_DEPTH} levels` }]
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key.includes('{{')
      ? [{ path: `${path}.${key}`, message: 'must have its {{variable}} in the value' }]
      : []),
    ...issuesIn(child, `${path}.${key}`, depthLeft - 1),
  ])
}

function issuesInText(text: string, path: string): Issue[] {
  const names = [...text.matchAll(PLACEHOLDER)].map((match) => match[1]!.trim())
  const unknown = names.filter((name) => !known.has(name))
  const issues = unknown.map((name) => ({
    path,
    message: `has the unknown variable {{${name.slice(0, 64)}}}; known are ${templateVariables.join(', ')}`,
  }))
  if (text.replace(PLACEHOLDER, '').includes('{{')) issues.push({ path, message: 'has {{ that no }} closes' })
  return issues
}

/**
 * The template with its variables replaced, as a new value. A string that is one placeholder and nothing else takes the
 * value's own type (the port is an integer); in a longer string it is text. Values are put in once and never read as
 * templates themselves.
 */
export const renderTemplate = (template: Template, values: TemplateValues) =>
  render(template, values) as Template

function render(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') return renderText(value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((child) => render(child, values))
  // fromEntries defines properties, so a key named __proto__ is a key like any other.
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, render(child, values)]))
}

function renderText(text: string, values: TemplateValues) {
  if (!text.includes('{{')) return text
  const only = NOTHING_ELSE.exec(text)?.[1]
  if (only !== undefined) return values[only.trim() as TemplateVariable]
  return text.replace(PLACEHOLDER, (_placeholder, name: string) =>
    String(values[name.trim() as TemplateVariable]),
  )
}
