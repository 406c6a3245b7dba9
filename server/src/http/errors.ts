/** Every refusal has a code and a message that says what to do. This file alone turns them into answers. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Code → status, the table of the contract, §1. */
const statusOf = {
  validation_error: 400,
  unauthorized: 401,
  forbidden: 403,
  enrollment_group_disabled: 403,
  not_found: 404,
  device_not_registered: 404,
  conflict: 409,
  device_not_provisioned: 409,
  device_offline: 409,
  key_slots_full: 409,
  secondary_key_empty: 409,
  routing_target_in_use: 409,
  enrollment_group_not_empty: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  provider_rejected: 422,
  rate_limited: 429,
  internal_error: 500,
  provider_unavailable: 502,
  unavailable: 503,
  device_timeout: 504,
} as const

export type ErrorCode = keyof typeof statusOf
export const errorCodes = Object.keys(statusOf) as ErrorCode[]

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
    this.status = statusOf[code]
  }
}

export const validationError = (...issues: Issue[]) =>
  new ApiError('validation_error', issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), {
    issues,
  })

/** Also for an object of another tenant: its existence is nobody else's business. */
export const notFound = (noun: string, id: string) => new ApiError('not_found', `There is no ${noun} ${id}.`)

export const unauthorized = (message = 'Credentials are missing, expired or wrong.') =>
  new ApiError('unauthorized', message)

/** The onboarding service answers `{error, message}`, the platform adds `details`. */
export function errorBody(error: ApiError, api: 'onboarding' | 'platform') {
  const { code, message, details } = error
  return api === 'onboarding' ? { error: code, message } : { error: code, message, details }
}

export function errorHandler(apiOf: (request: FastifyRequest) => 'onboarding' | 'platform') {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const error = asApiError(thrown, request.id)
    const reqId = request.id
    if (error.code === 'internal_error') request.log.error({ reqId, err: thrown }, 'request failed')
    else if (error.status >= 502)
      request.log.warn({ reqId, code: error.code, message: error.message }, 'request failed')
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterSeconds))
    if (error.code === 'unauthorized' && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', challengeOf(request))
    return reply.code(error.status).send(errorBody(error, apiOf(request)))
  }
}

/** A device signs in with Basic, everybody else with a token. */
const challengeOf = (request: FastifyRequest) =>
  request.routeOptions.config.gangway?.route.access.kind === 'bootstrapKey'
    ? 'Basic realm="gangway"'
    : 'Bearer'

function asApiError(thrown: FastifyError, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown
  return (
    fromFastify(thrown) ??
    fromPostgres(thrown) ??
    new ApiError(
      'internal_error',
      `Something went wrong here. The log has the rest under request ${requestId}.`,
      {
        requestId,
      },
    )
  )
}

function fromFastify(error: FastifyError): ApiError | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('payload_too_large', 'The body is larger than this route accepts.')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'This route does not read that Content-Type.')
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500)
    return validationError({ path: 'body', message: bodyProblem(error) })
  return undefined
}

const bodyProblem = (error: FastifyError) =>
  error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ? 'must not be empty' : `cannot be read (${error.message})`

/** Connection trouble passes and is worth another try; text that PostgreSQL cannot hold is the caller's to mend. */
function fromPostgres(error: Error & { code?: string }): ApiError | undefined {
  const { code = '', message } = error
  // All JSON comes from `JSON.stringify`, so that half a character alone makes it no JSON to PostgreSQL.
  const isBrokenJson = code === '22P02' && /\bjson\b/.test(message)
  if (code === '22P05' || code === '22021' || isBrokenJson)
    return validationError({
      path: 'body',
      message: 'holds text with NUL or broken Unicode, which cannot be stored',
    })
  // Two requests at once: what one refers to, the other deletes; or each waits for what the other holds.
  if (code === '23503' || code === '40P01')
    return new ApiError('conflict', 'Something that belongs to this was changed just now. Look again.')
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
