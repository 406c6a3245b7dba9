/** Ends a request that has no response in time: `fetch` would wait for minutes on a connection that has fallen silent. */
import { ConnectionError } from './api-error.ts'

/** Slightly longer than the server's limit for a statement of 30 s, so that its error arrives first. */
export const DEFAULT_TIMEOUT_MS = 35_000
/** The largest delay of a timer; one with a longer delay would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  /** Method and path, for the error message: `GET /v1/assets`. */
  request: string
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * @param run gets a signal that aborts when the time is over, or when the caller's signal aborts
 * @throws ConnectionError when the time is over; the reason of the caller's signal when that aborts
 */
export async function withDeadline<T>(
  { request, timeoutMs, signal }: Deadline,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const end = () => over.abort(new ConnectionError(request, undefined, timeoutMs))
  const timer = timeoutMs > LONGEST_TIMER_MS ? undefined : setTimeout(end, timeoutMs)
  const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  try {
    ended.throwIfAborted()
    // The race is needed because a pending renewal of the token does not observe the signal.
    return await Promise.race([run(ended), untilAborted(ended)])
  } catch (error) {
    // Some browsers reject an aborted body with an error of their own.
    throw ended.aborted ? ended.reason : error
  } finally {
    clearTimeout(timer)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  )
