/** Sends requests, and turns answers into values or errors. */
import type { Method, RequestSettings } from './api-types.ts'
import { ApiError, ConnectionError, readApiError } from './api-error.ts'
import { type Deadline, withDeadline } from './deadline.ts'
import { buildQuery, fillPath, type QueryValues } from './paths.ts'
import type { TokenSource } from './token.ts'

/** Where requests go. */
export interface Target {
  /** Without a slash at its end; empty for the origin of the page. */
  url: string
  tokens: TokenSource
  /** Time limit of requests that set none of their own. */
  timeoutMs: number
  fetch: typeof fetch
}

export interface SentOptions extends RequestSettings {
  path?: Record<string, string>
  query?: QueryValues
  body?: unknown
}

/**
 * Routes that open or end a sign-in. They take no access token, and a refusal is about something else, so it renews
 * none: the renewal itself calls them.
 */
const signInPath = /^(?:\/v1)?\/auth\/(?:login|logout|oidc|password-reset|password-reset\/confirm|refresh)$/

/**
 * @returns the successful response; its body has not been read, and may take longer than the request
 * @throws ApiError if the server refuses, ConnectionError if no answer comes, the reason of the signal if it aborts
 */
export const send = async (
  target: Target,
  method: Method,
  template: string,
  options: SentOptions = {},
): Promise<Response> =>
  withDeadline(makeDeadline(target, method, template, options), (signal) =>
    sendAuthorized(target, method, template, { ...options, signal }),
  )

/**
 * @returns the successful response and its body: parsed JSON, the text of another content type, or undefined
 * @throws like `send`
 */
export async function sendAndRead(
  target: Target,
  method: Method,
  template: string,
  options: SentOptions = {},
): Promise<{ response: Response; body: unknown }> {
  const deadline = makeDeadline(target, method, template, options)
  return withDeadline(deadline, async (signal) => {
    const response = await sendAuthorized(target, method, template, { ...options, signal })
    return { response, body: await readBody(response, deadline.request) }
  })
}

/** Bytes, forms and streams have no default limit, because their duration depends on their size. */
const makeDeadline = (
  target: Target,
  method: Method,
  template: string,
  { path, body, signal, timeoutMs = isRaw(body) ? Infinity : target.timeoutMs }: SentOptions,
): Deadline => ({ request: nameRequest(method, template, path), timeoutMs, signal })

const nameRequest = (method: Method, template: string, path: SentOptions['path']) =>
  `${method.toUpperCase()} ${fillPath(template, path)}`

async function sendAuthorized(
  target: Target,
  method: Method,
  template: string,
  options: SentOptions,
): Promise<Response> {
  const { tokens } = target
  const request = makeRequest(method, template, options)
  if (signInPath.test(template)) return requireSuccess(await attempt(target, request), request)
  const token = await tokens.read()
  const response = await attempt(target, request, token)
  // The server has refused the request before it did anything, so that a write may be repeated. A stream is used up.
  if (response.status !== 401 || options.body instanceof ReadableStream)
    return requireSuccess(response, request)
  const renewed = await tokens.renew(token)
  if (renewed === undefined) return requireSuccess(response, request)
  await response.body?.cancel()
  return requireSuccess(await attempt(target, request, renewed), request)
}

async function readBody(response: Response, request: string): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new ConnectionError(request, error)
  })
  if (text === '') return undefined
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(`${request} was answered with broken JSON.`, {
      status: response.status,
      code: 'unexpected_answer',
      details: {},
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: undefined,
      request,
    })
  }
}

interface PreparedRequest {
  /** The request as people write it: `GET /v1/assets`. */
  name: string
  address: string
  init: RequestInit & { headers: Record<string, string> }
}

function makeRequest(
  method: Method,
  template: string,
  { path, query, body, headers, signal }: SentOptions,
): PreparedRequest {
  const isJson = body !== undefined && !isRaw(body)
  return {
    name: nameRequest(method, template, path),
    address: fillPath(template, path) + buildQuery(query),
    init: {
      method: method.toUpperCase(),
      signal,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      body: isJson ? JSON.stringify(body) : (body as RequestInit['body']),
      // Node requires this for a body that is a stream.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    },
  }
}

const isRaw = (body: unknown) =>
  typeof body === 'string' ||
  body instanceof Blob ||
  body instanceof ArrayBuffer ||
  ArrayBuffer.isView(body) ||
  body instanceof FormData ||
  body instanceof URLSearchParams ||
  body instanceof ReadableStream

async function attempt(target: Target, { name, address, init }: PreparedRequest, token?: string) {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
  try {
    return await target.fetch(target.url + address, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ConnectionError(name, error)
  }
}

async function requireSuccess(response: Response, { name }: PreparedRequest): Promise<Response> {
  if (!response.ok) throw await readApiError(response, name)
  return response
}
