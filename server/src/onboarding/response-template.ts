/**
 * Response templates: any JSON object, `{{variable}}` standing in its strings. Checked when the group is saved, so that
 * rendering cannot fail when a device asks. [docs/onboarding#response-templates]
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
 * Rendering as JSON text: the template is written once, and cut where its variables stand. A string that is one
 * placeholder and nothing else takes the value's own type (the port is an integer); in a longer string it is text.
 * Values are put in once and never read as templates themselves.
 */
export function compileTemplate(template: Template): (values: TemplateValues) => string {
  const pieces = piecesOf(template)
  return (values) => {
    let text = ''
    for (const piece of pieces) text += typeof piece === 'string' ? piece : piece(values)
    return text
  }
}

type Piece = string | ((values: TemplateValues) => string)

function piecesOf(value: unknown): Piece[] {
  if (typeof value === 'string') return piecesOfText(value)
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)]
  if (Array.isArray(value)) return ['[', ...separated(value.map(piecesOf)), ']']
  const fields = Object.entries(value).map(([key, child]): Piece[] => [
    `${JSON.stringify(key)}:`,
    ...piecesOf(child),
  ])
  return ['{', ...separated(fields), '}']
}

function piecesOfText(text: string): Piece[] {
  const only = NOTHING_ELSE.exec(text)?.[1]
  if (only !== undefined) return [(values) => JSON.stringify(values[variableOf(only)])]
  // Split at a pattern with one group, every other part is what the group held.
  const inside = text
    .split(PLACEHOLDER)
    .map((part, index): Piece =>
      index % 2 === 0 ? insideOfString(part) : (values) => insideOfString(String(values[variableOf(part)])),
    )
  return ['"', ...inside, '"']
}

const variableOf = (name: string) => name.trim() as TemplateVariable
const insideOfString = (text: string) => JSON.stringify(text).slice(1, -1)
const separated = (lists: Piece[][]) => lists.flatMap((list, index) => (index === 0 ? list : [',', ...list]))
