const TIMEOUT_MS = 20_000

/** Adds a timeout to the signal of a query, since a request on a silent connection would hang for minutes. */
export function withTimeout(signal?: AbortSignal, milliseconds = TIMEOUT_MS): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}
