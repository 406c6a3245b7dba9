/** Ends connections, for a reason that the device's operator can read. On MQTT 5 the device reads it as well. */
import type { GatewayParts } from '../gateway-parts.ts'
import { isOurDoing, reasonCodes } from './disconnect-reason.ts'
import { flushOutput } from './output.ts'
import { sendDisconnect } from './protocol-version.ts'
import type { Connection, Ending } from '../state.ts'

/** The time within which a device must take what was sent to it last. */
const LAST_BYTES_MS = 1000

/** Ends the connection from this side. A connection that has ended already keeps its first reason. */
export function endConnection(parts: GatewayParts, connection: Connection, ending: Ending): void {
  if (connection.phase === 'ended') return
  if (connection.phase === 'open')
    sendDisconnect(connection, ending.code ?? reasonCodes[ending.reason], ending.message)
  finishConnection(parts, connection, ending)
}

/** The connection has ended; its session ends with it or waits for the next one. */
export function finishConnection(parts: GatewayParts, connection: Connection, ending: Ending): void {
  if (connection.phase === 'ended') return
  connection.phase = 'ended'
  connection.ending = ending
  connection.frames.held = undefined
  connection.frames.partial = undefined
  parts.partialBytes -= connection.partialBytes
  parts.connections.delete(connection)
  parts.signingIn.delete(connection)
  parts.backlog.forget(connection)
  if (isOurDoing(ending)) {
    parts.ctx.metrics.mqttRefusals.inc({ reason: ending.reason })
    parts.ctx.warnOfDevice('a device was disconnected', {
      device: connection.session?.account.id,
      remoteAddress: connection.remoteAddress,
      reason: ending.reason,
      message: ending.message,
    })
  }
  if (connection.session) parts.leaveSession(connection.session, ending)
  closeStream(connection)
}

function closeStream({ stream, output }: Connection): void {
  if (stream.destroyed) return
  flushOutput(output)
  stream.end()
  // Bytes that arrive meanwhile are discarded: a stream that is not read never notices that the device has closed.
  stream.resume()
  const timer = setTimeout(() => stream.destroy(), LAST_BYTES_MS)
  stream.once('close', () => clearTimeout(timer))
}
