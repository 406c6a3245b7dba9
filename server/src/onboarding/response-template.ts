/**
 * Response templates: any JSON object with `{{variable}}` in its strings. A template is checked when the group is saved,
 * so that rendering cannot fail when a device requests its settings. [docs/onboarding#response-templates]
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

export const MAX_TEMPLATE_BYTES = 64 * 1024
export const MAX_TEMPLATE_DEPTH = 32
/** Each may stand for a key of several thousand characters, in settings that devices fetch often. */
const MAX_TEMPLATE_VARIABLES = 100

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const SINGLE_PLACEHOLDER = /^\{\{([^{}]*)\}\}$/
const known: ReadonlySet<string> = new Set(templateVariables)

/** @returns the issues with their paths; empty if the template can be rendered */
export function findTemplateIssues(template: Template, at = 'response_template'): Issue[] {
  if (Buffer.byteLength(JSON.stringify(template)) > MAX_TEMPLATE_BYTES)
    return [{ path: at, message: `must not be larger than ${MAX_TEMPLATE_BYTES} bytes` }]
  const issues = findIssues(template, at, MAX_TEMPLATE_DEPTH)
  if (issues.length === 0 && countVariables(template) > MAX_TEMPLATE_VARIABLES)
    return [{ path: at, message: `must not have more than ${MAX_TEMPLATE_VARIABLES} variables` }]
  return issues
}

/** Counts repeated variables each time. */
const countVariables = (template: Template) => JSON.stringify(template).match(PLACEHOLDER)?.length ?? 0

function findIssues(value: unknown, path: string, depthLeft: number): Issue[] {
  if (typeof value === 'string') return findTextIssues(value, path)
  if (typeof value !== 'object' || value === null) return []
  if (depthLeft === 0) return [{ path, message: `nests deeper than ${MAX_TEMPLATE_DEPTH} levels` }]
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key.includes('{{')
      ? [{ path: `${path}.${key}`, message: 'must have {{variable}} only in the value' }]
      : []),
    ...findIssues(child, `${path}.${key}`, depthLeft - 1),
  ])
}

function findTextIssues(text: string, path: string): Issue[] {
  const names = [...text.matchAll(PLACEHOLDER)].map((match) => match[1]!.trim())
  const unknown = names.filter((name) => !known.has(name))
  const issues = unknown.map((name) => ({
    path,
    message: `has the unknown variable {{${name.slice(0, 64)}}}; the known variables are ${templateVariables.join(', ')}`,
  }))
  if (text.replace(PLACEHOLDER, '').includes('{{'))
    issues.push({ path, message: 'has {{ without a closing }}' })
  return issues
}

/**
 * Returns a function that renders JSON text. The template is serialized once and split at its variables. A string that
 * is exactly one placeholder takes the type of the value (the port becomes an integer); in a longer string the value
 * becomes text. Inserted values are never interpreted as templates.
 */
export function compileTemplate(template: Template): (values: TemplateValues) => string {
  const pieces = compileValue(template)
  return (values) => {
    let text = ''
    for (const piece of pieces) text += typeof piece === 'string' ? piece : piece(values)
    return text
  }
}

type Piece = string | ((values: TemplateValues) => string)

function compileValue(value: unknown): Piece[] {
  if (typeof value === 'string') return compileText(value)
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  if (Array.isArray(value)) return ['[', ...joinWithCommas(value.map(compileValue)), ']']
  const fields = Object.entries(value).map(([key, child]): Piece[] => [
    `${JSON.stringify(key)}:`,
    ...compileValue(child),
  ])
  return ['{', ...joinWithCommas(fields), '}']
}

function compileText(text: string): Piece[] {
  const only = SINGLE_PLACEHOLDER.exec(text)?.[1]
  if (only !== undefined) return [(values) => JSON.stringify(values[variableName(only)])]
  // The pattern has one group, so every second part of the split is a variable name.
  const inside = text
    .split(PLACEHOLDER)
    .map((part, index): Piece =>
      index % 2 === 0 ? escapeText(part) : (values) => escapeText(String(values[variableName(part)])),
    )
  return ['"', ...inside, '"']
}

const variableName = (name: string) => name.trim() as TemplateVariable
const escapeText = (text: string) => JSON.stringify(text).slice(1, -1)
const joinWithCommas = (lists: Piece[][]) =>
  lists.flatMap((list, index) => (index === 0 ? list : [',', ...list]))
