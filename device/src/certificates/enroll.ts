import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import { retryDelayMs } from '../retry-delay.ts'
import type { EnrollmentAccess } from './enrollment-access.ts'
import { resolveAccess } from './enrollment-access.ts'
import type { Identity } from './identity.ts'
import { loadIdentity } from './load-identity.ts'
import type { CertificateAnswer } from './request-certificate.ts'
import type { CertificateStore } from './store.ts'

export interface EnrollOptions extends EnrollmentAccess {
  /** Directory for key and certificate, which must survive restarts, or your own store. */
  store: string | CertificateStore
  /** Aborts enrollment, such as `AbortSignal.timeout(ms)`. Without it, enrollment continues until it succeeds or is refused. */
  signal?: AbortSignal
  /** Called once after each request. */
  onAttempt?: (attempt: EnrollAttempt) => void
  clock?: Clock
}

export interface EnrollAttempt {
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
 * Returns the stored identity of the device, or obtains its first certificate over EST (RFC 7030) and stores it.
 * `connect({ identity })` then signs in with it and renews it.
 *
 * Waits and retries on 202, 429, 5xx and network errors: 1 s, doubled up to 60 s, with full jitter, and never sooner
 * than `Retry-After`.
 *
 * Errors: {@link EnrollmentError} where the server refuses for good; the signal's reason where it aborts; TypeError
 * for options that cannot be right; errors of the store.
 */
export async function enroll(options: EnrollOptions): Promise<Identity> {
  const { signal, clock = systemClock } = options
  const access = resolveAccess(options)
  signal?.throwIfAborted()
  const identity = await loadIdentity(access, options.store)
  for (let attempt = 1; identity.candidates().length === 0; attempt++) {
    signal?.throwIfAborted()
    const answer = await identity.requestNext(clock.now(), signal)
    const retryInMs = answer.kind === 'retry' ? retryDelayMs(answer.retryAfterMs, attempt, clock) : null
    options.onAttempt?.({ attempt, ...describeAnswer(answer), retryInMs })
    if (answer.kind === 'refused') throw answer.error
    if (retryInMs !== null) await clock.sleep(retryInMs, signal)
  }
  return identity
}

function describeAnswer(answer: CertificateAnswer): Pick<EnrollAttempt, 'status' | 'code' | 'message'> {
  if (answer.kind === 'certificates') return { status: answer.status, code: null, message: null }
  const { status, code, message } = answer.kind === 'refused' ? answer.error : answer
  return { status, code, message }
}
