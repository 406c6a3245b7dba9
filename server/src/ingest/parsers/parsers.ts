/** The parsers by name. [docs/providers#payload-parsers] */
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { validationError } from '../../http/errors.ts'
import { listIssues } from '../../http/validate.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { UnreadableError } from '../unreadable.ts'
import { cbor } from './cbor.ts'
import { influxLine } from './influx/line.ts'
import { jmespathFormat } from './jmespath/jmespath.ts'
import { json, parseJson } from './json.ts'
import { obis } from './obis/obis.ts'
import type { Example, Format, Parser } from './parser.ts'
import { senml } from './senml/senml.ts'
import { structuredMetrics } from './structured-metrics.ts'

const formats = {
  json,
  jmespath: jmespathFormat,
  obis,
  'structured-metrics': structuredMetrics,
  senml,
  'influx-line': influxLine,
  cbor,
} satisfies Record<string, Format>

export type ParserName = keyof typeof formats
export const parserNames = Object.keys(formats) as ParserName[]

export const parserExamples: Record<ParserName, Example> = mapFormats(({ example }) => example)

/** Schemas of the options of each parser, for the OpenAPI description. */
export const optionSchemas: Record<ParserName, TSchema> = mapFormats(({ options }, name) => ({
  ...options,
  title: `ParserOptions_${name}`,
  description: `Options of the parser ${name}`,
}))

function mapFormats<T>(map: (format: Format, name: string) => T): Record<ParserName, T> {
  const entries = Object.entries(formats).map(([name, format]) => [name, map(format, name)])
  return Object.fromEntries(entries) as Record<ParserName, T>
}

/** Names the parser of a client, template or provider: `providerData.parser`. */
export const ParserSpec = Type.Object({
  name: Type.Enum([...parserNames]),
  options: Type.Optional(
    Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true })),
  ),
})

export interface Parsers {
  /**
   * @param spec the requested parser; the default where it is undefined
   * @param path path of the spec in the request, for the error; empty for the request itself
   * @throws validation_error
   */
  of(spec: unknown, path: string): Parser
  /** The same for a stored spec; where that is invalid, returns a parser that refuses every payload. */
  ofStored(spec: unknown): Parser
}

/** Limit of cached parsers. Most clients share a few, so that each expression is checked only once. */
const MAX_REMEMBERED = 1000

interface Compiled {
  Check(value: unknown): boolean
  Errors(value: unknown): Parameters<typeof listIssues>[0]
}
const compiledSpec = Compile(ParserSpec)
const compiledOptions = new Map<string, Compiled>(
  Object.entries(formats).map(([name, { options }]) => [name, Compile(options)]),
)

export function createParsers(): Parsers {
  const remembered = createBoundedCache<string, Parser>(MAX_REMEMBERED)

  function of(spec: unknown, path: string): Parser {
    if (spec === undefined) return parseJson
    const key = JSON.stringify(spec)
    const known = remembered.get(key)
    if (known) return known
    const parser = compileParser(spec, path)
    remembered.set(key, parser)
    return parser
  }

  function ofStored(spec: unknown): Parser {
    try {
      return of(spec ?? undefined, 'parser')
    } catch (error) {
      return unusable((error as Error).message)
    }
  }

  return { of, ofStored }
}

function compileParser(spec: unknown, path: string): Parser {
  check(compiledSpec, spec, path)
  const { name, options = {} } = spec as Static<typeof ParserSpec>
  const optionsPath = join(path, 'options')
  check(compiledOptions.get(name)!, options, optionsPath)
  return formats[name].compile(options, optionsPath)
}

function check(compiled: Compiled, value: unknown, path: string): void {
  if (compiled.Check(value)) return
  const issues = listIssues(compiled.Errors(value), '')
  throw validationError(...issues.map((issue) => ({ ...issue, path: join(path, issue.path) })))
}

const join = (...parts: string[]) => parts.filter((part) => part !== '').join('.')

const unusable =
  (message: string): Parser =>
  () => {
    throw new UnreadableError('parser_unusable', `The parser of this client cannot be used: ${message}.`)
  }
