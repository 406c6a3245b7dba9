/** The error responses of a route, by status, for the OpenAPI description. */
import { errorBody, type ErrorCode, errorCodes, ApiError, errorStatuses } from './errors.ts'
import { findApi, type Route } from './route.ts'

type Json = Record<string, unknown>
type Api = 'onboarding' | 'platform'

const descriptions: Record<string, string> = {
  400: 'Path, query or body is wrong',
  401: 'Credentials are missing, expired or wrong',
  403: 'A privilege or permission is missing',
  404: 'There is no such object, or it is of another tenant',
  406: 'None of the formats in `Accept` is available',
  409: 'The present state does not allow it',
  413: 'The body is too large',
  415: 'The route requires another content type',
  422: 'The provider refused the device',
  429: 'Too many requests; `Retry-After` has the seconds until the next try',
  '5XX': 'The server, or a system that it depends on, does not work',
}

/** An example of each. */
const examples: Record<string, [code: ErrorCode, message: string, details: Json]> = {
  400: ['validation_error', 'limit: must be >= 1', { issues: [{ path: 'limit', message: 'must be >= 1' }] }],
  401: ['unauthorized', 'Credentials are missing, expired or wrong.', {}],
  403: [
    'forbidden',
    'This needs the privilege asset_management.',
    { required: { privilege: 'asset_management' } },
  ],
  404: ['not_found', 'There is no asset pump-7.', {}],
  406: [
    'not_acceptable',
    'The header Accept names "image/png". This answer comes as application/json or text/csv.',
    {},
  ],
  409: ['conflict', 'A related object was changed at the same time. Read it again.', {}],
  413: ['payload_too_large', 'The body is larger than the 1048576 bytes that this route reads.', {}],
  415: [
    'unsupported_media_type',
    'Send the body with `Content-Type: application/json`; this one is "text/plain".',
    { accepted: 'application/json' },
  ],
  422: ['provider_rejected', 'The id pump-7 is taken. Use another.', {}],
  429: [
    'rate_limited',
    'All 1000 requests of this hour are used. Try again when the next one begins.',
    { limit: 1000 },
  ],
  '5XX': ['unavailable', 'The database does not answer. Try again.', {}],
}

export function describeRefusals(route: Route): Json {
  const api = findApi(route) === 'onboarding' ? 'onboarding' : 'platform'
  return Object.fromEntries(
    listStatuses(route).map((status) => [
      status,
      { $ref: `#/components/responses/${refusalName(api, status)}` },
    ]),
  )
}

/** Statuses that follow from the rules of the server; a route adds its own with `refuses`. */
function listStatuses(route: Route): string[] {
  const { method, access, params, refuses = [] } = route
  const signsIn = access.kind !== 'open'
  const writes = method !== 'GET'
  const possible: [string, boolean][] = [
    ['400', true],
    ['401', signsIn],
    ['403', signsIn],
    ['404', params !== undefined || (signsIn && writes)],
    ['409', signsIn && writes],
    ['413', writes],
    ['415', writes],
    ['429', findApi(route) === 'platform' && !route.uncounted],
    ['5XX', true],
  ]
  const own = refuses.map(String)
  return Object.keys(descriptions).filter(
    (status) => own.includes(status) || possible.some(([name, is]) => is && name === status),
  )
}

const refusalName = (api: Api, status: string) =>
  `${api === 'onboarding' ? 'Onboarding' : 'Platform'}${status}`

/** `components.responses` */
export function refusalResponses(): Json {
  const all = (['onboarding', 'platform'] as const).flatMap((api) =>
    Object.keys(descriptions).map((status): [string, Json] => [
      refusalName(api, status),
      describeResponse(api, status),
    ]),
  )
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function describeResponse(api: Api, status: string): Json {
  const schema = { $ref: `#/components/schemas/${api === 'onboarding' ? 'Onboarding' : 'Platform'}Error` }
  const example = errorBody(new ApiError(...examples[status]!), api)
  return {
    description: `${descriptions[status]}: ${listCodes(status).join(', ')}`,
    headers: describeHeaders(api, status),
    content: { 'application/json': { schema, example } },
  }
}

const listCodes = (status: string) =>
  errorCodes
    .filter((code) =>
      status === '5XX' ? errorStatuses[code] >= 500 : String(errorStatuses[code]) === status,
    )
    .map((code) => `\`${code}\``)

function describeHeaders(api: Api, status: string): Json {
  const integer = (description: string) => ({ description, schema: { type: 'integer' } })
  return {
    'X-Request-Id': { description: 'The id of the request in the log', schema: { type: 'string' } },
    ...(api === 'platform' && {
      'X-RateLimit-Limit': integer('Requests per hour'),
      'X-RateLimit-Remaining': integer('Requests left in this hour'),
      'X-RateLimit-Reset': integer('When the hour ends: Unix timestamp in seconds'),
    }),
    ...(status === '401' && {
      'WWW-Authenticate': { description: 'How to sign in', schema: { type: 'string' } },
    }),
    ...((status === '429' || status === '5XX' || (status === '409' && api === 'onboarding')) && {
      'Retry-After': integer('Seconds until the next try; absent for some codes'),
    }),
  }
}
