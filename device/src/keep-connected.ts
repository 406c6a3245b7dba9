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
  onClosed: (reason: DeviceError, cause: CloseCause) => void
  onFailed: (error: DeviceError) => void
  onRetry: (failures: number, delayMs: number, reason: DeviceError) => void
}

/** Why a session ended: the connection was lost, the device was closed, or another credential replaces its own. */
export type CloseCause = 'lost' | 'closed' | 'replaced'

interface End {
  reason: DeviceError
  lastedMs: number
  /** The next attempt follows at once. */
  isImmediate: boolean
}

/** Opens one session after another, with the back-off of the guide between them [docs/mqtt#back-off], until `signal` aborts. */
export async function keepConnected(connection: Connection, signal: AbortSignal): Promise<void> {
  const { clock, stableAfterMs } = connection
  let failures = 0
  while (!signal.aborted) {
    const { reason, lastedMs, isImmediate } = await runSession(connection, signal)
    if (signal.aborted) return
    if (isImmediate) continue
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
    // The other key may be valid during a rotation, so it is tried without waiting.
    return { reason, lastedMs: 0, isImmediate: credentials.failed(reason) }
  }
  credentials.accepted()
  const openedMs = clock.monotonicMs()
  connection.onOpen(session, credential)
  const { reason, cause } = await waitForEnd(session, credentials, signal)
  connection.onClosed(reason, cause)
  return { reason, lastedMs: clock.monotonicMs() - openedMs, isImmediate: cause === 'replaced' }
}

async function waitForEnd(
  session: Session,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ reason: DeviceError; cause: CloseCause }> {
  let isReplaced = false
  const end = () => void session.end()
  const stopListening = credentials.onReplaced?.(() => {
    isReplaced = true
    end()
  })
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const reason = await session.closed
  signal.removeEventListener('abort', end)
  stopListening?.()
  return { reason, cause: signal.aborted ? 'closed' : isReplaced ? 'replaced' : 'lost' }
}
