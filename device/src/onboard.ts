import type { KeyOptions } from './choose-key.ts'
import { chooseKey } from './choose-key.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { assertDeviceId } from './device-id.ts'
import type { JsonObject } from './json.ts'
import type { SettingsAnswer } from './request-settings.ts'
import { requestSettings } from './request-settings.ts'
import { retryDelayMs } from './retry-delay.ts'

export interface OnboardOptions extends KeyOptions {
  /** Address of the onboarding service; `/get_settings` is added to it. */
  onboardingUrl: string | URL
  deviceId: string
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
 * Fetches the device's settings with its key: the response template of its enrollment group, rendered.
 *
 * Waits and retries while the device is not provisioned, and on 429, 5xx and network errors: 1 s, doubled up to
 * 60 s, with full jitter, and never sooner than `Retry-After`.
 *
 * Errors: {@link OnboardingError} where the service refuses for good (401, 403, 400, …); the signal's reason where it
 * aborts; TypeError for options that cannot be right.
 */
export async function onboard(options: OnboardOptions): Promise<JsonObject> {
  const { deviceId, signal, timeoutMs = 30_000, clock = systemClock } = options
  assertDeviceId(deviceId)
  const url = settingsUrl(options.onboardingUrl)
  const key = chooseKey(options, deviceId)
  const fetch = options.fetch ?? globalThis.fetch

  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const answer = await requestSettings({ url, deviceId, key, timeoutMs, signal, fetch, nowMs: clock.now() })
    const retryInMs = answer.kind === 'retry' ? retryDelayMs(answer.retryAfterMs, attempt, clock) : null
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

function describe(answer: SettingsAnswer): Pick<OnboardAttempt, 'status' | 'code' | 'message'> {
  if (answer.kind === 'settings') return { status: answer.status, code: null, message: null }
  const { status, code, message } = answer.kind === 'refused' ? answer.error : answer
  return { status, code, message }
}
