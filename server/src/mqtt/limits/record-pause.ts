import type { Connection } from '../state.ts'
import type { GatewayParts } from '../gateway-parts.ts'

/** The connection is read again, or has ended: records how long a limit delayed it. */
export function recordPause({ ledger }: GatewayParts, connection: Connection): void {
  const { isPaused, pausedBy: limit, pausedMs, session } = connection
  if (isPaused && limit && session)
    ledger.record(session.account.number, {
      limit,
      outcome: 'delayed',
      delayMs: performance.now() - pausedMs,
    })
}
