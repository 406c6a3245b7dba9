import type { JsonObject } from './json.ts'
import { parseJsonObject } from './json.ts'
import { OnboardingError } from './onboarding-error.ts'
import { retryAfterMs } from './retry-after.ts'

const MAX_ANSWER_BYTES = 1024 * 1024

export interface SettingsRequest {
  url: URL
  deviceId: string
  key: string
  timeoutMs: number
  signal: AbortSignal | undefined
  fetch: typeof fetch
  nowMs: number
}

/** Outcome of a request: the settings, a permanent error, or a temporary failure. */
export type SettingsAnswer =
  | { kind: 'settings'; status: number; settings: JsonObject }
  | { kind: 'refused'; error: OnboardingError }
  | { kind: 'retry'; status: number | null; code: string; message: string; retryAfterMs: number | null }

/** Sends one request to the onboarding service. Rejects only if the caller's signal aborted. */
export async function requestSettings(request: SettingsRequest): Promise<SettingsAnswer> {
  const { signal, timeoutMs } = request
  const limit = new AbortController()
  const onAbort = () => limit.abort(signal?.reason)
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const response = await send(request, limit.signal)
    return readAnswer(response, await readBounded(response), request.nowMs)
  } catch (error) {
    signal?.throwIfAborted()
    // The reason of a fetch error (refused, unknown host, bad certificate) is its cause.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const message = reason instanceof Error ? reason.message : String(reason)
    return { kind: 'retry', status: null, code: 'network_error', message, retryAfterMs: null }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

const send = ({ url, deviceId, key, fetch }: SettingsRequest, signal: AbortSignal): Promise<Response> =>
  fetch(url, {
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${deviceId}:${key}`).toString('base64')}`,
    },
    // No redirects: the bootstrap key is sent only to the configured address.
    redirect: 'manual',
    signal,
  })

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readAnswer(response: Response, text: string, nowMs: number): SettingsAnswer {
  const { status } = response
  const body = parseJsonObject(text)
  if (status === 200) {
    if (body) return { kind: 'settings', status, settings: body }
    const message =
      'the address answered 200 with something other than a JSON object; is it the onboarding service?'
    return { kind: 'refused', error: new OnboardingError(status, 'invalid_settings', message) }
  }
  const code = typeof body?.error === 'string' ? body.error : `http_${status}`
  const message =
    typeof body?.message === 'string' ? body.message : `the onboarding service answered ${status}`
  if (!isWorthRetrying(status, code))
    return { kind: 'refused', error: new OnboardingError(status, code, message) }
  return {
    kind: 'retry',
    status,
    code,
    message,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), nowMs),
  }
}

const isWorthRetrying = (status: number, code: string): boolean =>
  status === 429 || status >= 500 || (status === 409 && code === 'device_not_provisioned')
