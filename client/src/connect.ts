/** The client of one server, as one user. */
import type { Answer, Item, ListPath, Method, OptionsArgument, PathFor, RequestOptions } from './api-types.ts'
import { DEFAULT_TIMEOUT_MS } from './deadline.ts'
import { iteratePages, type Page, readPage } from './pages.ts'
import { createRealtime, type Realtime, type RealtimeOptions } from './realtime/realtime.ts'
import { send, sendAndRead, type SentOptions, type Target } from './request.ts'
import { createTokenSource, type TokenOptions } from './token.ts'

export interface ConnectOptions extends TokenOptions {
  /** Where the server answers, such as `https://gangway.example.com`; empty for the origin of the page. */
  url: string
  /** Maximum time in milliseconds until the response has been read; Infinity sets no limit of its own. Default 35,000. */
  timeoutMs?: number
  /** Sends the requests in place of the global `fetch`. */
  fetch?: typeof fetch
}

type Call<M extends Method> = <P extends PathFor<M>>(
  path: P,
  ...options: OptionsArgument<RequestOptions<M, P>>
) => Promise<Answer<M, P>>

/**
 * Each request throws an `ApiError` if the server refuses it, and a `ConnectionError` if no answer comes. Nothing is
 * repeated, except once after `renew` has obtained another token.
 */
export interface Gangway {
  get: Call<'get'>
  post: Call<'post'>
  put: Call<'put'>
  patch: Call<'patch'>
  delete: Call<'delete'>
  /** Like `get` and the others, for the bytes and the headers of the answer: downloads, exports. */
  request<M extends Method, P extends PathFor<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<RequestOptions<M, P>>
  ): Promise<Response>
  /** All entries of a list, whose pages are read as they are needed; `query.limit` is the size of a page. */
  list<P extends ListPath>(
    path: P,
    ...options: OptionsArgument<RequestOptions<'get', P>>
  ): AsyncGenerator<Item<P>, void, undefined>
  /** One page of a list; `query.cursor` takes the cursor of the page before. */
  page<P extends ListPath>(
    path: P,
    ...options: OptionsArgument<RequestOptions<'get', P>>
  ): Promise<Page<Item<P>>>
  /** Connects for live telemetry and alarms, and stays connected until it is closed. */
  realtime(options?: RealtimeOptions): Realtime
}

export function connect({
  url,
  timeoutMs = DEFAULT_TIMEOUT_MS,
  fetch,
  ...tokenOptions
}: ConnectOptions): Gangway {
  const target: Target = {
    url: url.replace(/\/+$/, ''),
    tokens: createTokenSource(tokenOptions),
    timeoutMs,
    // Browsers refuse a `fetch` that is called as a method of another object.
    fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
  }
  const call =
    <M extends Method>(method: M) =>
    async (path: string, options?: SentOptions) =>
      (await sendAndRead(target, method, path, options)).body
  const page = async (path: string, options?: SentOptions) => {
    const { response, body } = await sendAndRead(target, 'get', path, options)
    return readPage(response, body)
  }
  const list = (path: string, options?: SentOptions) =>
    iteratePages((cursor) =>
      page(path, cursor === undefined ? options : { ...options, query: { ...options?.query, cursor } }),
    )
  const client = {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    request: (method: Method, path: string, options?: SentOptions) => send(target, method, path, options),
    list,
    page,
    realtime: (options?: RealtimeOptions) => createRealtime(target, options),
  }
  return client as unknown as Gangway
}
