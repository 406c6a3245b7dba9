import { takenOverElsewhere } from '../connection/disconnect-reason.ts'
import { endConnection } from '../connection/end-connection.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { Session } from '../state.ts'
import { type Announcement, hashClientId } from './takeovers.ts'

/** Ends the sessions here that another node has taken over. Stored ones lose their owner instead. */
export function endOlder(
  parts: GatewayParts,
  { clientNumber, clientIdHash }: Announcement,
  newer: ReadonlySet<Session>,
): void {
  const deviceId = parts.sessions.deviceIds.get(clientNumber)
  if (deviceId === undefined) return
  for (const session of parts.sessions.byDevice.get(deviceId)?.connected ?? [])
    if (!session.stored && !newer.has(session) && hashClientId(session.clientId) === clientIdHash)
      endConnection(parts, session.connection, takenOverElsewhere)
}
