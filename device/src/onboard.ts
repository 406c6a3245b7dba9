import { backOffCeilingMs, fullJitterMs } from './back-off.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { assertDeviceId } from './device-id.ts'
import { deriveDeviceKey } from './device-key.ts'
import type { JsonObject } from './json.ts'
import type { SettingsAnswer } from './request-settings.ts'
import { requestSettings } from './request-settings.ts'

export interface OnboardOptions {
  /** Address of the onboarding service; `/get_settings` is added to it. */
  onboardingUrl: string | URL
  deviceId: string
  /** A bootstrap key of the enrollment group, or the key derived from it for this device. */
  bootstrapKey: string
  /** Set if `bootstrapKey` is the group's: derives the device's key and sends only that. Default false. */
  deriveKey?: boolean
  /** Aborts onboarding, such as `AbortSignal.timeout(ms)`. Without it, onboarding continues until it succeeds or is refused. */
  signal?: AbortSignal
  /** Limit of one request, in milliseconds. Default 30,000. */
  timeoutMs?: number
  /** Called once after each request. */
  onAttempt?: (attempt: OnboardAttempt) => void
  /** Another `fetch`, for a proxy or a private certificate authority. */
  fetch?: typeof fetch
  clock?: Clock
}

export interface OnboardAttempt {
  /** Counted from 1. */
  attempt: number
  /** HTTP status, or null without an answer. */
  status: number | null
  /** The error code, or null on success. */
  code: string | null
  message: string | null
  /** Milliseconds until the next request, or null if this was the last one. */
  retryInMs: number | null
}

/**
 * Fetches the device's settings with its bootstrap key: the response template of its enrollment group, rendered.
 *
 * Waits and retries while the device is not provisioned, and on 429, 5xx and network errors: 1 s, doubled up to
 * 60 s, with full jitter, and never sooner than `Retry-After`.
 *
 * Errors: {@link OnboardingError} where the service refuses for good (401, 403, 400, …); the signal's reason where it
 * aborts; TypeError for options that cannot be right.
 */
export async function onboard(options: OnboardOptions): Promise<JsonObject> {
  const { deviceId, bootstrapKey, signal, timeoutMs = 30_000, clock = systemClock } = options
  assertDeviceId(deviceId)
  if (!bootstrapKey) throw new TypeError('bootstrapKey is empty')
  const url = settingsUrl(options.onboardingUrl)
  const key = options.deriveKey ? deriveDeviceKey(bootstrapKey, deviceId) : bootstrapKey
  const fetch = options.fetch ?? globalThis.fetch

  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const answer = await requestSettings({ url, deviceId, key, timeoutMs, signal, fetch, nowMs: clock.now() })
    const retryInMs = answer.kind === 'retry' ? waitMs(answer.retryAfterMs, attempt, clock) : null
    options.onAttempt?.({ attempt, ...describe(answer), retryInMs })
    if (answer.kind === 'settings') return answer.settings
    if (answer.kind === 'refused') throw answer.error
    await clock.sleep(retryInMs ?? 0, signal)
  }
}

function settingsUrl(onboardingUrl: string | URL): URL {
  const base = new URL(onboardingUrl)
  if (base.protocol !== 'https:' && base.protocol !== 'http:') {
    throw new TypeError(`onboardingUrl must be an http or https address, not ${base.protocol}`)
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return new URL('get_settings', base)
}

function waitMs(retryAfterMs: number | null, attempt: number, clock: Clock): number {
  const ownMs = fullJitterMs(backOffCeilingMs(attempt), clock.random())
  if (retryAfterMs === null) return ownMs
  // Jitter: devices that were refused at the same time must not retry at the same time.
  return Math.max(ownMs, Math.round(retryAfterMs * (1 + clock.random() / 10)))
}

function describe(answer: SettingsAnswer): Pick<OnboardAttempt, 'status' | 'code' | 'message'> {
  if (answer.kind === 'settings') return { status: answer.status, code: null, message: null }
  const { status, code, message } = answer.kind === 'refused' ? answer.error : answer
  return { status, code, message }
}
