/** Ends connections that time out. One timer looks at all of them, since thousands of timers cost more than they say. */
import type { GatewayParts } from '../gateway-parts.ts'
import { keepAliveTimeout } from './disconnect-reason.ts'
import { endConnection } from './end-connection.ts'
import { SIGN_IN_TIMEOUT_MS, STALLED_MS } from './limits.ts'
import { unsentBytes } from './output.ts'
import type { Connection, Ending } from '../state.ts'

const LOOK_EVERY_MS = 250

export function watchConnections(parts: GatewayParts): Disposable {
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const wallMs = Date.now()
    for (const connection of parts.connections) {
      const ending = findTimeout(connection, nowMs) ?? findExpiry(connection, wallMs)
      if (ending) endConnection(parts, connection, ending)
    }
    parts.backlog.report()
  }, LOOK_EVERY_MS)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function findTimeout(connection: Connection, nowMs: number): Ending | undefined {
  if (connection.sawPacket || connection.isPaused) connection.lastPacketMs = nowMs
  connection.sawPacket = false
  const { phase, openedMs, keepAliveMs, lastPacketMs, output } = connection
  if (phase === 'waiting' && nowMs - openedMs > SIGN_IN_TIMEOUT_MS)
    return { reason: 'connection_lost', message: 'No CONNECT arrived in time.' }
  if (phase !== 'open') return undefined
  const takenBytes = output.totalBytes - unsentBytes(output)
  if (unsentBytes(output) === 0 || takenBytes > connection.takenBytes) connection.takenAtMs = nowMs
  connection.takenBytes = takenBytes
  if (nowMs - connection.takenAtMs > STALLED_MS)
    return { reason: 'too_slow', message: 'The device does not take what is sent to it.' }
  // Nothing arrives from a connection that is not read. [MQTT-3.1.2-24]
  if (keepAliveMs > 0 && nowMs - lastPacketMs > keepAliveMs * 1.5) return keepAliveTimeout(connection)
  return undefined
}

/** A session ends with the certificate that the device signed in with. [docs/certificates#mqtt] */
function findExpiry({ session }: Connection, wallMs: number): Ending | undefined {
  if (!session?.certificate || wallMs < session.certificate.endMs) return undefined
  return { reason: 'certificate_expired', message: 'The certificate that the device signed in with expired.' }
}
