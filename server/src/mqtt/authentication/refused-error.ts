/** The refusal of a device that wants to sign in. */
import { ReasonCode } from '../connection/reason-codes.ts'
import type { RefusalReason } from '../sessions/presence.ts'

/** A device waits for CONNACK only until its own time-out. */
const MAX_WAIT_MS = 10_000

export class RefusedError extends Error {
  /** @param reason for the log: CONNACK does not distinguish an unknown device from a wrong key */
  constructor(
    readonly code: ReasonCode,
    readonly reason: RefusalReason | 'unknown_device' | 'server_unavailable' | 'protocol_error',
    message: string,
  ) {
    super(message)
  }
}

/** @throws RefusedError if the database does not answer in time */
export function withinReason<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unavailable = () =>
      reject(
        new RefusedError(ReasonCode.serverUnavailable, 'server_unavailable', 'The database does not answer.'),
      )
    const timer = setTimeout(unavailable, MAX_WAIT_MS)
    answer.then(resolve, unavailable).finally(() => clearTimeout(timer))
  })
}
