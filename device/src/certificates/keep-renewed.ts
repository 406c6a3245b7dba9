import type { Clock } from '../clock.ts'
import { retryDelayMs } from '../retry-delay.ts'
import type { CertificateAnswer } from './request-certificate.ts'
import type { Identity } from './identity.ts'
import { expiresAtMs, renewalDelayMs, renewAtMs } from './renewal-time.ts'

/** Sleeps are at most this long, since the wall clock may be set and a timer has a limit. */
const LONGEST_SLEEP_MS = 3_600_000

export interface RenewalFailure {
  /** HTTP status, or null without an answer. */
  status: number | null
  code: string
  message: string
  /** Milliseconds until the next request. */
  retryInMs: number
}

export interface Renewal {
  identity: Identity
  clock: Clock
  /** Whether the broker refuses the certificate in use, so that it is renewed before its time. */
  isRefused: () => boolean
  /** Ends a wait early, when the certificate in use has been refused. */
  woken: () => AbortSignal
  /** A new certificate is stored; a session with it is to be opened. Called again as long as none has succeeded. */
  onIssued: () => void
  onFailed: (failure: RenewalFailure) => void
}

/** Requests a new certificate when the one in use is due, again and again until `signal` aborts. */
export async function keepRenewed(renewal: Renewal, signal: AbortSignal): Promise<void> {
  const { identity, clock } = renewal
  const random = clock.random()
  const counts = { failures: 0, refusals: 0 }
  while (!signal.aborted) {
    const dueInMs = renewal.isRefused() ? 0 : renewAtMs(identity, random) - clock.now()
    if (dueInMs > 0) {
      counts.failures = 0
      counts.refusals = 0
      const ended = AbortSignal.any([signal, renewal.woken()])
      await clock.sleep(Math.min(dueInMs, LONGEST_SLEEP_MS), ended)
      continue
    }
    await clock.sleep(await renewOnce(renewal, counts, signal), signal)
  }
}

/** @returns the wait before the next request, in milliseconds */
async function renewOnce(
  renewal: Renewal,
  counts: { failures: number; refusals: number },
  signal: AbortSignal,
): Promise<number> {
  const { clock } = renewal
  const answer = await request(renewal, counts.refusals, signal)
  if (signal.aborted) return 0
  if (answer.kind === 'retry') {
    const retryInMs = retryDelayMs(answer.retryAfterMs, ++counts.failures, clock)
    renewal.onFailed({ status: answer.status, code: answer.code, message: answer.message, retryInMs })
    return retryInMs
  }
  const retryInMs = renewalDelayMs(++counts.refusals, clock)
  if (answer.kind === 'certificates') renewal.onIssued()
  else {
    const { status, code, message } = answer.error
    renewal.onFailed({ status, code, message, retryInMs })
  }
  return retryInMs
}

async function request(
  { identity, clock }: Renewal,
  refusals: number,
  signal: AbortSignal,
): Promise<CertificateAnswer> {
  const [next] = identity.candidates()
  try {
    // A new certificate that no session could use in time would be tried for ever.
    if (refusals > 0 && next?.isNext && expiresAtMs(next.certificate) <= clock.now())
      await identity.discardNext()
    return await identity.requestNext(clock.now(), signal)
  } catch (error) {
    // The store failed, or the signal aborted.
    return {
      kind: 'retry',
      status: null,
      code: 'store_failed',
      message: (error as Error).message,
      retryAfterMs: null,
    }
  }
}
