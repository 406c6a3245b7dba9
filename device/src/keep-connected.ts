import { backOffCeilingMs, equalJitterMs } from './back-off.ts'
import type { Clock } from './clock.ts'
import type { Credential, Credentials } from './credentials.ts'
import type { DeviceError } from './device-error.ts'
import type { Session } from './session.ts'

export interface Connection {
  credentials: Credentials
  clock: Clock
  /** A session that lasted this long resets the number of failures. */
  stableAfterMs: number
  /** Rejects with DeviceError. */
  open: (credential: Credential, signal: AbortSignal) => Promise<Session>
  onOpen: (session: Session, credential: Credential) => void
  /** The session ended; `wanted` is true if the signal ended it. */
  onClosed: (reason: DeviceError, wanted: boolean) => void
  onFailed: (error: DeviceError) => void
  onRetry: (failures: number, delayMs: number, reason: DeviceError) => void
}

interface End {
  reason: DeviceError
  lastedMs: number
}

/** Opens one session after another, with the back-off of the guide between them [docs/mqtt#back-off], until `signal` aborts. */
export async function keepConnected(connection: Connection, signal: AbortSignal): Promise<void> {
  const { credentials, clock, stableAfterMs } = connection
  let failures = 0
  while (!signal.aborted) {
    const { reason, lastedMs } = await runSession(connection, signal)
    if (signal.aborted) return
    // The other key may be valid during a rotation, so it is tried without waiting.
    if (reason.code === 'credentials_refused' && credentials.refused()) continue
    failures = lastedMs >= stableAfterMs ? 1 : failures + 1
    const delayMs = equalJitterMs(backOffCeilingMs(failures), clock.random())
    connection.onRetry(failures, delayMs, reason)
    await clock.sleep(delayMs, signal)
  }
}

async function runSession(connection: Connection, signal: AbortSignal): Promise<End> {
  const { credentials, clock } = connection
  const credential = credentials.current()
  let session: Session
  try {
    session = await connection.open(credential, signal)
  } catch (error) {
    const reason = error as DeviceError
    if (!signal.aborted) connection.onFailed(reason)
    return { reason, lastedMs: 0 }
  }
  credentials.accepted()
  const openedMs = clock.monotonicMs()
  connection.onOpen(session, credential)
  const onAbort = () => void session.end()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const reason = await session.closed
  signal.removeEventListener('abort', onAbort)
  connection.onClosed(reason, signal.aborted)
  return { reason, lastedMs: clock.monotonicMs() - openedMs }
}
