/**
 * Two validators: the strict one, for bodies, never converts types; the coercing one converts the text of query and
 * path. Both remove unknown fields, so that no handler receives them.
 */
import { IsOptional, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { findUnstorableText, isTooDeep, MAX_JSON_DEPTH, UNSTORABLE_TEXT } from '../lib/json-limits.ts'
import { createCleaner } from './clean.ts'
import { type Checked, describeErrors, type SchemaError } from './describe-issues.ts'
import { type Issue, validationError } from './errors.ts'

export const MAX_ISSUES = 20
/** Longer paths are cut: names in a body may have any length. */
const MAX_PATH_CHARACTERS = 256

/**
 * Errors are searched for in this many items of each list. TypeBox takes time that grows with the square of the number of
 * equal items in a list that must not have any, though the list is too long anyway.
 */
const SEARCHED_ITEMS = 2000

type Check = (value: unknown) => unknown

/**
 * @param schema if optional, a request without a body is valid
 * @param findIssues finds further issues, such as unknown fields
 */
export function strictValidator(
  schema: TSchema,
  at: string,
  findIssues: (value: unknown) => Iterable<Issue> = () => [],
): Check {
  const compiled = Compile(schema)
  const isOptional = IsOptional(schema)
  const clean = createCleaner(schema)
  return (value) => {
    if (isOptional && value === undefined) return undefined
    refuseUnstorable(value, at)
    const issues = takeFirst(findIssues(value))
    const isValid = compiled.Check(value)
    if (!isValid) issues.push(...listIssues(findErrors(compiled, value), at, { schema, value }))
    if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
    return clean(value as object)
  }
}

function findErrors(compiled: Pick<ReturnType<typeof Compile>, 'Errors'>, value: unknown): SchemaError[] {
  const errors = compiled.Errors(shortenLists(value))
  return errors.length > 0 ? errors : compiled.Errors(value)
}

/** @param value must not be too deep */
function shortenLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, SEARCHED_ITEMS).map(shortenLists)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortenLists(one)]))
}

export function coercingValidator(schema: TSchema, at: string): Check {
  const compiled = Compile(schema)
  const clean = createCleaner(schema)
  return (value) => {
    refuseUnstorable(value, at)
    const converted = Value.Default(schema, clean(Value.Convert(schema, { ...(value as object) }) as object))
    if (!compiled.Check(converted)) throw validationError(...listIssues(compiled.Errors(converted), at))
    return converted
  }
}

/** @throws validation_error if the database cannot store the value as text or JSON */
export function refuseUnstorable(value: unknown, at: string): void {
  const issue = unstorableIssue(value, at)
  if (issue) throw validationError(issue)
}

/** @param at the path of the value itself */
export function unstorableIssue(value: unknown, at: string): Issue | undefined {
  if (isTooDeep(value)) return { path: at, message: `nests deeper than ${MAX_JSON_DEPTH} levels` }
  const found = findUnstorableText(value)
  if (!found) return undefined
  const message = `${found.isKey ? 'has a key with' : 'holds'} ${UNSTORABLE_TEXT}`
  return { path: found.path.join('.').slice(0, MAX_PATH_CHARACTERS) || at, message }
}

function takeFirst(issues: Iterable<Issue>): Issue[] {
  const first: Issue[] = []
  for (const issue of issues) {
    first.push(issue)
    if (first.length === MAX_ISSUES) break
  }
  return first
}

/** @param at the path of the value itself */
export const listIssues = (errors: SchemaError[], at: string, checked?: Checked): Issue[] =>
  takeFirst(toIssues(errors, at, checked))

function* toIssues(errors: SchemaError[], at: string, checked?: Checked): Generator<Issue> {
  for (const { instancePath, message } of describeErrors(errors, checked))
    yield { path: toPath(instancePath) || at, message }
}

/** `/brokers/0/port` → `brokers.0.port` */
const toPath = (pointer: string) =>
  pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
