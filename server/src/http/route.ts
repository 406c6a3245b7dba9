/** A route is one object: schema, access, handler. One without access does not compile. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Access } from './access.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type StaticOf<S> = S extends TSchema ? Static<S> : undefined

interface Input<P, Q, B, C> {
  params: StaticOf<P>
  query: StaticOf<Q>
  body: StaticOf<B>
  caller: C
  request: FastifyRequest
  reply: FastifyReply
}

/** What the server needs of a route, whatever its types were. */
export interface Route {
  method: Method
  /** With parameters in braces: `/api/routing-targets/{id}`. A platform path starts with `/v1/`. */
  url: string
  summary: string
  /** A verb and a noun; `operationIdOf` says what holds where this is absent. */
  operationId?: string
  access: Access
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** A body that the handler reads itself: as bytes, as a stream of this content type, or as the parts of a form. */
  rawBody?: { as: 'buffer' | 'stream' | 'multipart'; contentType: string; schema?: TSchema }
  /** What becomes of body fields that the schema does not name. `unknownFieldsOf` says what holds where this is absent. */
  unknownFields?: 'ignore' | 'refuse'
  /** The same of query parameters; `unknownParametersOf` says what holds where this is absent. */
  unknownParameters?: 'ignore' | 'refuse'
  /** Body fields and query parameters that are announced and not built yet: refused, whatever becomes of unknown ones. */
  notSupportedYet?: readonly string[]
  /** Names that other platforms have for a field of the body; a refusal then names the field. */
  synonyms?: Readonly<Record<string, string>>
  /** Bytes; 1 MiB where absent. */
  bodyLimit?: number
  /** A whitelist: what a schema does not name does not leave. `null` is an answer without a body. */
  response: Record<number, TSchema | null>
  /** Statuses of refusals that the rules of the server do not imply, such as 422; for the description. */
  refuses?: readonly number[]
  /** Changes nothing though its method is not GET, so that a read-only token may call it. */
  readsOnly?: boolean
  /** Not counted by the rate limits: who calls it is no principal, such as a device with a signed link. */
  uncounted?: boolean
  /** Its answers hold a key, a token or a link that needs no sign-in: they are neither cached nor compressed. */
  secret?: boolean
  /** Content type of an answer that is not JSON. */
  produces?: string
  handler: (input: Input<never, never, never, never>) => Promise<unknown>
}

interface Definition<P, Q, B, C> extends Omit<Route, 'access' | 'params' | 'query' | 'body' | 'handler'> {
  access: Access<C>
  params?: P
  query?: Q
  body?: B
  /** Answers the body of the route's one success status, or an `Answer`. */
  handler: (input: Input<P, Q, B, C>) => Promise<unknown>
}

export const route = <
  C,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  definition: Definition<P, Q, B, C>,
): Route => definition as Route

/** An answer that chooses its status or headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}
export const answer = (status: number, body: unknown, headers?: Record<string, string>) =>
  new Answer(status, body, headers)

/** The one status of success, for handlers that answer a plain body. */
export function successStatus({ method, url, response }: Route): number {
  const status = Object.keys(response)
    .map(Number)
    .find((code) => code < 300)
  if (status === undefined) throw new Error(`${method} ${url} names no answer of success`)
  return status
}

/** The content type of the bodies that a route reads. */
export const acceptedType = (reader?: Pick<Route, 'rawBody'>): string =>
  reader?.rawBody?.contentType ?? 'application/json'

/** A platform path answers with and without its `/v1`. [docs/api#addresses] */
export const urlsOf = ({ url }: Pick<Route, 'url'>): string[] =>
  url.startsWith('/v1/') ? [url, url.slice('/v1'.length)] : [url]

/** Onboarding paths have their own shape of errors and may have their own port. */
export const apiOf = ({ url }: Pick<Route, 'url'>): 'onboarding' | 'platform' | 'system' => {
  if (/^\/(api\/|provision_device$|get_settings$|\.well-known\/(est|pki)\/)/.test(url)) return 'onboarding'
  return url.startsWith('/v1/') ? 'platform' : 'system'
}
