/** Parameters, bodies and answers of each route, read from the generated types. */
import type { components, paths } from './generated/api.ts'

/** The schemas of the API by name: `Schemas['Asset']`. */
export type Schemas = components['schemas']

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that answer to a method. */
export type PathFor<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]

type Operation<M extends Method, P extends keyof paths> = paths[P][M]

export type PathParameters<P extends keyof paths> = NonNullable<
  { [M in Method]: Parameters<Operation<M, P>, 'path'> }[Method]
>

type Parameters<O, Place extends 'path' | 'query'> = O extends { parameters: infer All }
  ? Place extends keyof All
    ? All[Place]
    : undefined
  : undefined

export type Query<M extends Method, P extends keyof paths> = Parameters<Operation<M, P>, 'query'>

/** JSON as the API describes it, or bytes, text or a form for routes that take something else. */
export type Body<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { requestBody?: infer B }
    ? B extends { content: infer C }
      ? C extends { 'application/json': infer J }
        ? J
        : RawBody
      : undefined
    : undefined

export type RawBody = string | Blob | ArrayBuffer | Uint8Array | FormData | URLSearchParams | ReadableStream

/** Parsed JSON, text where a route answers something else, and undefined where it answers nothing. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer R } ? ContentAnswer<R[keyof R]> : never

type ContentAnswer<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : string
  : undefined

/** A field that has to be given, may be given, or must not be given. */
type Field<Name extends string, Value> = [Value] extends [undefined]
  ? { [N in Name]?: undefined }
  : undefined extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value }

export interface RequestSettings {
  /** Cancels the request; it then rejects with the reason of the signal. */
  signal?: AbortSignal
  /** Overrides the `timeoutMs` of `connect`. Bytes, forms and streams have no time limit unless one is given here. */
  timeoutMs?: number
  headers?: Record<string, string>
}

export type RequestOptions<M extends Method, P extends keyof paths> = RequestSettings &
  Field<'path', Parameters<Operation<M, P>, 'path'>> &
  Field<'query', Query<M, P>> &
  Field<'body', Operation<M, P> extends { requestBody: unknown } ? Body<M, P> : Body<M, P> | undefined>

/** Options may be left out where the route requires none. */
export type OptionsArgument<Options> = {} extends Options ? [options?: Options] : [options: Options]

/** The paths of lists: those that take a cursor. */
export type ListPath = {
  [P in PathFor<'get'>]: Query<'get', P> extends undefined
    ? never
    : 'cursor' extends keyof NonNullable<Query<'get', P>>
      ? P
      : never
}[PathFor<'get'>]

export type Item<P extends keyof paths> =
  Answer<'get', P> extends (infer I)[] ? I : Answer<'get', P> extends { items: (infer I)[] } ? I : never
