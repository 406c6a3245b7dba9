/** A refusal of the server, with its reason. */
import type { Schemas } from './api-types.ts'

/** A code of the API; or `unexpected_answer` where something else answered, such as a proxy. */
export type ErrorCode = Schemas['PlatformError']['error'] | 'unexpected_answer'

/** A field of the request that is wrong. */
export interface Issue {
  path: string
  message: string
}

interface Refusal {
  status: number
  code: ErrorCode
  details: Record<string, unknown>
  requestId: string | undefined
  retryAfterSeconds: number | undefined
  /** The request: `GET /v1/assets/pump-7`. */
  request: string
}

/** The server's answer to a request that it refused. The message says what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  /** The id under which the log of the server has the request. */
  readonly requestId: string | undefined
  /** When to try again, where the server says so. */
  readonly retryAfterSeconds: number | undefined
  /** The request that was refused: `GET /v1/assets/pump-7`. */
  readonly request: string

  constructor(message: string, refusal: Refusal) {
    super(message)
    this.status = refusal.status
    this.code = refusal.code
    this.details = refusal.details
    this.requestId = refusal.requestId
    this.retryAfterSeconds = refusal.retryAfterSeconds
    this.request = refusal.request
  }

  /** The wrong fields of a `validation_error`. */
  get issues(): Issue[] {
    if (this.code !== 'validation_error') return []
    return (this.details.issues as Issue[] | undefined) ?? readIssues(this.message)
  }
}

/**
 * No response was received: the server is not reachable, or the connection broke or fell silent. A write may have been
 * carried out.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  constructor(
    readonly request: string,
    cause?: unknown,
    /** The time limit in milliseconds; set only if the request exceeded it. */
    readonly timeoutMs?: number,
  ) {
    const reason =
      timeoutMs === undefined
        ? ': the server cannot be reached, or the connection broke.'
        : ` within ${timeoutMs / 1000} s.`
    super(`${request} had no answer${reason}`, { cause })
  }
}

/** Reads an answer of the platform (`{error, message, details}`) or of the onboarding service (no `details`). */
export async function readApiError(response: Response, request: string): Promise<ApiError> {
  const body = parseRefusal(await response.text().catch(() => ''))
  const details = body?.details ?? {}
  return new ApiError(body?.message ?? `${request} was answered with ${response.status} and no reason.`, {
    status: response.status,
    code: body?.error ?? 'unexpected_answer',
    details,
    requestId: response.headers.get('x-request-id') ?? (details.requestId as string | undefined),
    retryAfterSeconds: readSeconds(response.headers.get('retry-after')),
    request,
  })
}

interface RefusalBody {
  error: ErrorCode
  message: string
  details?: Record<string, unknown>
}

function parseRefusal(text: string): RefusalBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<RefusalBody> | null
    const isRefusal = typeof body?.error === 'string' && typeof body.message === 'string'
    return isRefusal ? (body as RefusalBody) : undefined
  } catch {
    return undefined
  }
}

const readSeconds = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : undefined)

/** The onboarding service names the fields in its message only: `limit: must be an integer; name: is required`. */
const readIssues = (message: string): Issue[] =>
  message.split(/; (?=[\w.[\]]+: )/).flatMap((part) => {
    const [, path, text] = /^([\w.[\]]+): (.+)$/s.exec(part) ?? []
    return path === undefined ? [] : [{ path, message: text! }]
  })
