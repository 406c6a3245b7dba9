/** Every API error has a code and a message that says what to do. Only this file turns errors into answers. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { UNSTORABLE_TEXT } from '../lib/json-limits.ts'
import { acceptedType } from './route.ts'

/** Code → status. [docs/api#errors] */
export const errorStatuses = {
  validation_error: 400,
  unauthorized: 401,
  forbidden: 403,
  enrollment_group_disabled: 403,
  not_found: 404,
  device_not_registered: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  device_not_provisioned: 409,
  device_offline: 409,
  key_slots_full: 409,
  primary_key_empty: 409,
  secondary_key_empty: 409,
  devices_not_ready: 409,
  routing_target_in_use: 409,
  enrollment_group_not_empty: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  provider_rejected: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  provider_unavailable: 502,
  unavailable: 503,
  device_timeout: 504,
} as const

/** Limit of one path parameter; ids are shorter. */
export const MAX_PATH_PART_CHARACTERS = 1024

export type ErrorCode = keyof typeof errorStatuses
export const errorCodes = Object.keys(errorStatuses) as ErrorCode[]

export interface Issue {
  path: string
  message: string
}

/**
 * @param details context fields for the caller; never a secret, SQL or a path of the server
 * @param retryAfterSeconds becomes the header Retry-After
 */
export class ApiError extends Error {
  readonly status: number
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: Record<string, unknown> = {},
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
    this.status = errorStatuses[code]
  }
}

export const validationError = (...issues: Issue[]) =>
  new ApiError('validation_error', issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), {
    issues,
  })

/** Also for objects of other tenants, so that their existence is not revealed. */
export const notFound = (noun: string, id: string) => new ApiError('not_found', `There is no ${noun} ${id}.`)

/** @throws not_found if there is no row */
export function orNotFound<T>(row: T | undefined, noun: string, id: string): T {
  if (!row) throw notFound(noun, id)
  return row
}

export const unauthorized = (message = 'Credentials are missing, expired or wrong.') =>
  new ApiError('unauthorized', message)

/** Codes of the onboarding service whose details are no repetition of the message. */
const detailedCodes: readonly ErrorCode[] = ['devices_not_ready']

/** The platform answers `{error, message, details}`, the onboarding service leaves out the details of most codes. */
export function errorBody(error: ApiError, api: 'onboarding' | 'platform') {
  const { code, message, details } = error
  const isDetailed = api === 'platform' || detailedCodes.includes(code)
  return { error: code, message, ...(isDetailed && { details }) }
}

type FindApi = (request: FastifyRequest) => 'onboarding' | 'platform'

/** @param requests gives the rate limit headers of requests that were not counted */
export function errorHandler(
  findApi: FindApi,
  requests?: { addressHeaders(address: string): Record<string, string> },
) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const error = asApiError(thrown, request)
    const api = findApi(request)
    // The request was refused before it was counted.
    if (api === 'platform' && requests && !reply.hasHeader('x-ratelimit-limit'))
      reply.headers(requests.addressHeaders(request.ip))
    const reqId = request.id
    if (error.code === 'internal_error') request.log.error({ reqId, err: thrown }, 'request failed')
    else if (error.status >= 502)
      request.log.warn({ reqId, code: error.code, message: error.message }, 'request failed')
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterSeconds))
    if (error.code === 'unauthorized' && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', challenge(request))
    reply.code(error.status)
    if (!isEst(request)) return reply.send(errorBody(error, api))
    return reply.type('text/plain; charset=utf-8').send(`${error.code}: ${error.message}\n`)
  }
}

/** EST (RFC 7030) has text for the people who read the log of a device. */
const isEst = ({ url }: FastifyRequest) => url.startsWith('/.well-known/est/')

const basicAccess: readonly unknown[] = ['bootstrapKey', 'deviceEnrollment']

/** Devices authenticate with Basic, all other callers with a bearer token. */
const challenge = (request: FastifyRequest) =>
  basicAccess.includes(request.routeOptions.config.gangway?.route.access.kind)
    ? 'Basic realm="gangway"'
    : 'Bearer'

function asApiError(thrown: FastifyError, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  const { id: requestId } = request
  const message = `An internal error occurred. The log has the details under request ${requestId}.`
  return (
    fromFastify(thrown, request) ??
    fromPostgres(thrown) ??
    new ApiError('internal_error', message, { requestId })
  )
}

function fromFastify(error: FastifyError, request: FastifyRequest): ApiError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return tooLarge(request)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wrongMediaType(request)
    case 'FST_ERR_BAD_URL':
      return validationError({
        path: 'path',
        message: 'is not UTF-8 in percent-encoding; write `%` as `%25`',
      })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return validationError({
        path: 'path',
        message: `has a part of more than ${MAX_PATH_PART_CHARACTERS} characters`,
      })
  }
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500)
    return validationError({ path: 'body', message: `cannot be read (${error.message})` })
  return undefined
}

function tooLarge({ routeOptions }: FastifyRequest) {
  const { bodyLimit } = routeOptions
  return new ApiError(
    'payload_too_large',
    `The body is larger than the ${bodyLimit} bytes that this route reads.`,
  )
}

function wrongMediaType({ headers, routeOptions }: FastifyRequest) {
  const accepted = acceptedType(routeOptions.config.gangway?.route)
  const given = headers['content-type']
  const found = given ? `is "${given.slice(0, 128)}"` : 'has no Content-Type'
  return new ApiError(
    'unsupported_media_type',
    `Send the body with \`Content-Type: ${accepted}\`; this one ${found}.`,
    { accepted },
  )
}

/** Connection errors are temporary: the caller may retry. Text that PostgreSQL cannot store is the caller's error. */
function fromPostgres(error: Error & { code?: string }): ApiError | undefined {
  const { code = '', message } = error
  // All JSON comes from `JSON.stringify`, so PostgreSQL refuses it only for a lone surrogate.
  const isBrokenJson = code === '22P02' && /\bjson\b/.test(message)
  if (code === '22P05' || code === '22021' || isBrokenJson)
    return validationError({
      path: 'body',
      message: `holds ${UNSTORABLE_TEXT}`,
    })
  // Concurrent requests: one deletes what the other refers to, or both are in a deadlock.
  if (code === '23503' || code === '40P01')
    return new ApiError('conflict', 'A related object was changed at the same time. Read it again.')
  if (code === '57014')
    return new ApiError('unavailable', 'This takes too long. Ask for less, such as a shorter span.', {}, 60)
  const isConnectionTrouble =
    /^(08|57P|53)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', '55P03'].includes(code) ||
    /connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      message,
    )
  if (isConnectionTrouble)
    return new ApiError('unavailable', 'The database does not answer. Try again.', {}, 2)
  return undefined
}
