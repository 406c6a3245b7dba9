/** Reads and validates path, query and body of a request for its handler. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { validationError } from './errors.ts'
import { findApi, type Route } from './route.ts'
import { createUnknownFieldFinder, describeUnknown, printableName } from './unknown-fields.ts'
import { coercingValidator, MAX_ISSUES, strictValidator } from './validate.ts'

/** The returned function throws validation_error. Validators are compiled at the first request, which halves the start-up time. */
export function inputReader(route: Route) {
  let readers: ReturnType<typeof createReaders> | undefined
  return (request: FastifyRequest, reply: FastifyReply) => {
    readers ??= createReaders(route)
    return {
      params: readers.params?.(request.params),
      query: readers.query(request),
      body: readers.body(request.body),
      caller: request.caller,
      request,
      reply,
    }
  }
}

const createReaders = (route: Route) => ({
  params: route.params && coercingValidator(route.params, 'path'),
  query: queryReader(route),
  body: bodyReader(route),
})

function queryReader(route: Route) {
  const read = route.query && coercingValidator(route.query, 'query')
  const names = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {})
  const known = { noun: 'query parameter' }
  const ignored = unknownParameterPolicy(route) === 'ignore'
  return ({ query, url }: Pick<FastifyRequest, 'query' | 'url'>) => {
    if (!ignored) {
      refuseUndecodable(url)
      const unknown = Object.keys(query as object).filter((name) => !names.includes(name))
      refuseUnknown(unknown, (name) => describeUnknown(name, names, known))
    }
    return read?.(query)
  }
}

/** The query parser leaves text that it cannot decode as it is. */
function refuseUndecodable(url: string) {
  const start = url.indexOf('?')
  if (start === -1 || !url.includes('%', start)) return
  try {
    decodeURIComponent(url.slice(start + 1))
  } catch {
    throw validationError({ path: 'query', message: 'is not UTF-8 in percent-encoding; write `%` as `%25`' })
  }
}

function bodyReader(route: Route): (body: unknown) => unknown {
  if (route.rawBody) return (body) => body
  const { body, synonyms } = route
  const known = { noun: 'field', synonyms }
  if (!body) return (value) => refuseBody(value, (name) => describeUnknown(name, [], known))
  const isStrict = unknownFieldPolicy(route) === 'refuse'
  const schemas = [body, ...recordSchemas(route)]
  return strictValidator(body, 'body', isStrict ? createUnknownFieldFinder(schemas, known) : undefined)
}

/** A client may send back the whole record that it read, with its read-only fields. */
const recordSchemas = ({ method, response }: Route): TSchema[] =>
  method === 'PATCH' && response[200] ? [response[200]] : []

/** An empty object counts as no body. */
function refuseBody(value: unknown, describe: (name: string) => string): undefined {
  if (value === undefined || value === null) return
  if (typeof value !== 'object' || Array.isArray(value))
    throw validationError({ path: 'body', message: 'must be left out: this route takes none' })
  refuseUnknown(Object.keys(value), describe)
}

function refuseUnknown(names: string[], describe: (name: string) => string) {
  if (names.length === 0) return
  const first = names.slice(0, MAX_ISSUES)
  throw validationError(...first.map((name) => ({ path: printableName(name), message: describe(name) })))
}

/**
 * Unknown fields are ignored where a record is created or replaced, since a newer client may send them. For partial
 * changes, queries and actions they are refused: ignoring them would do something else than the caller meant.
 */
export function unknownFieldPolicy({ method, body, response, unknownFields }: Route): 'ignore' | 'refuse' {
  const writesRecord = body !== undefined && (method === 'PUT' || 201 in response)
  return unknownFields ?? (writesRecord ? 'ignore' : 'refuse')
}

/** System routes ignore unknown parameters: mail programs, downloaders and load balancers add their own. */
export const unknownParameterPolicy = (route: Route): 'ignore' | 'refuse' =>
  route.unknownParameters ?? (findApi(route) === 'system' ? 'ignore' : 'refuse')
