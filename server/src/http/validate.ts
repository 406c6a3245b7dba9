/**
 * Two validators: bodies are strict in types and never coerced; query and path are text by nature and are coerced.
 * Unknown fields of a body are taken out, so that nothing unasked for reaches a handler.
 */
import { IsOptional, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { isTooDeep, MAX_JSON_DEPTH } from '../lib/json-limits.ts'
import { createCleaner } from './clean.ts'
import { type Issue, validationError } from './errors.ts'

const MAX_ISSUES = 20

type Check = (value: unknown) => unknown

/** @param schema an optional one also takes a request without a body */
export function strictValidator(schema: TSchema, at: string): Check {
  const compiled = Compile(schema)
  const isOptional = IsOptional(schema)
  const clean = createCleaner(schema)
  return (value) => {
    if (isOptional && value === undefined) return undefined
    if (isTooDeep(value))
      throw validationError({ path: at, message: `nests deeper than ${MAX_JSON_DEPTH} levels` })
    if (!compiled.Check(value)) throw validationError(...issuesOf(compiled.Errors(value), at))
    return clean(value as object)
  }
}

export function coercingValidator(schema: TSchema, at: string): Check {
  const compiled = Compile(schema)
  const clean = createCleaner(schema)
  return (value) => {
    const converted = Value.Default(schema, clean(Value.Convert(schema, { ...(value as object) }) as object))
    if (!compiled.Check(converted)) throw validationError(...issuesOf(compiled.Errors(converted), at))
    return converted
  }
}

/** @param at the path of the value itself */
export function issuesOf(
  errors: Iterable<{ instancePath: string; message: string; params?: unknown }>,
  at: string,
): Issue[] {
  const issues: Issue[] = []
  for (const error of errors) {
    issues.push({ path: pathOf(error.instancePath) || at, message: describe(error) })
    if (issues.length === MAX_ISSUES) break
  }
  return issues
}

/** `/brokers/0/port` → `brokers.0.port` */
const pathOf = (pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

function describe(error: { message: string; params?: unknown }) {
  const params = error.params as { requiredProperties?: string[]; allowedValues?: unknown[] } | undefined
  if (params?.requiredProperties) return `must have ${params.requiredProperties.join(', ')}`
  // Of a field that a strict object does not have.
  if (error.message === 'schema is false') return 'is not known'
  if (params?.allowedValues) return `must be one of ${params.allowedValues.join(', ')}`
  return error.message
}
