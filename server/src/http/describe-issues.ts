/** Describes validation errors in sentences: what each field must be, and what was sent. */
import type { TSchema } from 'typebox'

/** An error as TypeBox reports it. */
export interface SchemaError {
  keyword: string
  /** Location of the rule in the schema: `#/properties/condition/anyOf/0` */
  schemaPath: string
  /** Location of the value: `/brokers/0/port` */
  instancePath: string
  message: string
  params?: unknown
}

/** Absent if the value adds nothing to the description: every query parameter is text. */
export interface Checked {
  schema: TSchema
  value: unknown
}

type Node = Record<string, unknown>
interface Described {
  instancePath: string
  message: string
}

/** Longer values are cut in a message. */
const MAX_SHOWN_CHARACTERS = 120

const nouns: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
}
const formats: Record<string, string> = {
  uuid: 'a UUID, such as 0190b0f0-0000-7000-8000-000000000000',
  'date-time': 'a date and time in ISO 8601, such as 2026-01-31T12:00:00Z',
  email: 'an email address',
  uri: 'a URL, such as https://example.com',
}

export function* describeErrors(errors: SchemaError[], checked?: Checked): Generator<Described> {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  const described = new Set<SchemaError>()
  for (const error of errors) {
    if (described.has(error)) continue
    const union = unions.find((each) => each === error || isWithin(each, error))
    if (!union) {
      yield describe(error, checked)
      continue
    }
    const branches = errors.filter((each) => isWithin(union, each))
    for (const each of [union, ...branches]) described.add(each)
    yield* describeUnion(union, branches, checked)
  }
}

const isWithin = (union: SchemaError, { schemaPath, instancePath }: SchemaError) =>
  schemaPath.startsWith(`${union.schemaPath}/anyOf/`) && instancePath.startsWith(union.instancePath)

/**
 * A value whose type fits no branch gets one sentence that names all branches. A value of a right type breaks another
 * rule of its branch; then only that rule is described, and not that `null` is also possible.
 */
function* describeUnion(
  union: SchemaError,
  branches: SchemaError[],
  checked?: Checked,
): Generator<Described> {
  const isOfKind = ({ keyword, instancePath }: SchemaError) =>
    instancePath === union.instancePath && (keyword === 'type' || keyword === 'const')
  const deeper = branches.filter((error) => !isOfKind(error) && !(error.keyword === 'anyOf'))
  if (deeper.length > 0) {
    for (const error of deeper) yield describe(error, checked)
    return
  }
  const kinds = branches.filter(({ keyword }) => keyword !== 'anyOf').map(describeKind)
  const expected = [...new Set(kinds.filter((kind) => kind !== undefined))]
  yield {
    instancePath: union.instancePath,
    message: describeMismatch(branches, expected.join(' or '), union.instancePath, checked),
  }

  /** TypeBox reports both a constant and its type; only the constant is named. */
  function describeKind(error: SchemaError): string | undefined {
    const { type, allowedValue } = error.params as { type?: string; allowedValue?: unknown }
    if (error.keyword === 'const') return JSON.stringify(allowedValue)
    const hasConstant = branches.some(
      ({ keyword, schemaPath }) => keyword === 'const' && schemaPath === error.schemaPath,
    )
    return hasConstant ? undefined : (nouns[type ?? ''] ?? type)
  }
}

function describe(error: SchemaError, checked?: Checked): Described {
  return { instancePath: error.instancePath, message: describeRule(error, checked) }
}

function describeRule(error: SchemaError, checked?: Checked): string {
  const { keyword, message } = error
  const params = (error.params ?? {}) as {
    type?: string
    limit?: number
    format?: string
    requiredProperties?: string[]
    allowedValues?: unknown[]
  }
  if (params.requiredProperties) return `must have ${params.requiredProperties.join(', ')}`
  // TypeBox reports an unknown field of a strict object this way.
  if (message === 'schema is false') return 'is not known'
  if (params.allowedValues) return `must be one of ${params.allowedValues.join(', ')}`
  if (keyword === 'type')
    return describeMismatch(
      [error],
      nouns[params.type ?? ''] ?? String(params.type),
      error.instancePath,
      checked,
    )
  if (keyword === 'minLength' && params.limit === 1) return 'must not be empty'
  if (keyword === 'minLength') return `must have at least ${params.limit} characters`
  if (keyword === 'maxLength') return `must have at most ${params.limit} characters`
  if (keyword === 'format' && params.format && formats[params.format])
    return `must be ${formats[params.format]}`
  if (keyword === 'pattern') return describePattern(nodeAt(checked?.schema, error.schemaPath)) ?? message
  return message
}

/** The description of the field says what the pattern means. */
const describePattern = (node: Node | undefined): string | undefined =>
  typeof node?.description === 'string' ? `does not fit: ${node.description}` : undefined

function describeMismatch(
  errors: SchemaError[],
  expected: string,
  instancePath: string,
  checked?: Checked,
): string {
  const must = `must be ${expected}`
  if (!checked) return must
  const value = nodeAt(checked.value, instancePath) as unknown
  if (value === undefined) return instancePath === '' ? `is missing: send ${expected} as JSON` : must
  const isJsonText = errors.some(
    ({ schemaPath }) => nodeAt(checked.schema, schemaPath)?.contentMediaType === 'application/json',
  )
  if (isJsonText && typeof value === 'object') {
    const text = JSON.stringify(JSON.stringify(value))
    return `must be JSON as text; this is ${nameKind(value)}. Send it in quotes: ${shorten(text)}`
  }
  return `${must}; this is ${nameKind(value)}`
}

function nameKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'number' ? String(value) : nouns[typeof value]!
}

const shorten = (text: string) =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}…` : text

/** Resolves a JSON pointer, with or without a leading `#`. */
function nodeAt(root: unknown, pointer: string): Node | undefined {
  let node = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined
    node = (node as Node)[key]
  }
  return node as Node | undefined
}
