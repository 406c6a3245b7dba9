/** A route is one object: schema, access and handler. A route without access does not compile. */
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

/** A route without its type parameters, as the server uses it. */
export interface Route {
  method: Method
  /** With parameters in braces: `/api/routing-targets/{id}`. A platform path starts with `/v1/`. */
  url: string
  summary: string
  /** A verb and a noun; `makeOperationId` makes one if this is absent. */
  operationId?: string
  access: Access
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Set if the handler reads the body itself: as a buffer, as a stream, or as the parts of a form. */
  rawBody?: { as: 'buffer' | 'stream' | 'multipart'; contentType: string; schema?: TSchema }
  /** Policy for body fields that the schema does not name; `unknownFieldPolicy` decides if this is absent. */
  unknownFields?: 'ignore' | 'refuse'
  /** The same for query parameters; `unknownParameterPolicy` decides if this is absent. */
  unknownParameters?: 'ignore' | 'refuse'
  /** Names that other platforms use for a body field; the error message then suggests that field. */
  synonyms?: Readonly<Record<string, string>>
  /** Bytes; 1 MiB if absent. */
  bodyLimit?: number
  /** A whitelist: fields that the schema does not name are not sent. `null` is an answer without a body. */
  response: Record<number, TSchema | null>
  /** Error statuses for the OpenAPI description that the rules of the server do not imply, such as 422. */
  refuses?: readonly number[]
  /** The route changes nothing though its method is not GET; a read-only token may call it. */
  readsOnly?: boolean
  /** An API token that is limited to a dashboard may call it. */
  forDashboards?: boolean
  /** Not counted by rate limits: the caller is not a principal, such as a device with a signed link. */
  uncounted?: boolean
  /** Answers contain a key, a token or a signed link: they are neither cached nor compressed. */
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
  /** Returns the body of the route's one success status, or an `Answer`. */
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

/** The status of success for handlers that return a plain body. */
export function successStatus({ method, url, response }: Route): number {
  const status = Object.keys(response)
    .map(Number)
    .find((code) => code < 300)
  if (status === undefined) throw new Error(`${method} ${url} names no success status`)
  return status
}

/** The content type of the bodies that a route reads. */
export const acceptedType = (reader?: Pick<Route, 'rawBody'>): string =>
  reader?.rawBody?.contentType ?? 'application/json'

const PLATFORM_PREFIX = '/v1'

/** A platform path is served with and without its `/v1`. [docs/api#addresses] */
export const listUrls = ({ url }: Pick<Route, 'url'>): string[] =>
  url.startsWith(`${PLATFORM_PREFIX}/`) ? [url, url.slice(PLATFORM_PREFIX.length)] : [url]

/**
 * Returns a function that adds a missing `/v1` to the path of a platform route. Registering each route a second time
 * would take a tenth of the start-up time.
 */
export function createPathCompletion(routes: Pick<Route, 'url'>[]): (path: string) => string {
  const platform = new Set(
    routes.filter((one) => findApi(one) === 'platform').map(({ url }) => url.split('/')[2]),
  )
  return (path) => (platform.has(/^\/([^/?#]*)/.exec(path)?.[1]) ? PLATFORM_PREFIX + path : path)
}

/** Onboarding paths have their own error shape and may have their own port. */
export const findApi = ({ url }: Pick<Route, 'url'>): 'onboarding' | 'platform' | 'system' => {
  if (/^\/(api\/|provision_device$|get_settings$|\.well-known\/(est|pki)\/)/.test(url)) return 'onboarding'
  return url.startsWith('/v1/') ? 'platform' : 'system'
}
