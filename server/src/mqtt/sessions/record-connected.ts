/** Records that devices are online: their rows and their connection events say so. */
import type { GatewayParts } from '../gateway-parts.ts'
import { describeConnection } from '../connection-events/describe-connection.ts'
import type { Session } from '../state.ts'

export function recordConnected(
  { ctx, presence }: Pick<GatewayParts, 'ctx' | 'presence'>,
  { account, connection, clientId, isResumed }: Session,
): void {
  presence.connected(account.number, connection.remoteAddress)
  ctx.connectionEvents.record(account.number, {
    event: 'connected',
    ...describeConnection(connection),
    client_id: clientId,
    resumed: isResumed,
  })
}

/** The client counted as disconnected while other nodes had found this one dead. */
export function recordRestored(parts: GatewayParts, clientNumber: number): void {
  const { byDevice, deviceIds } = parts.sessions
  const device = byDevice.get(deviceIds.get(clientNumber) ?? '')
  for (const session of device?.connected ?? [])
    if (session.connection.phase === 'open') recordConnected(parts, session)
}
