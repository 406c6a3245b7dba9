import type { Socket } from 'node:net'
import type { Aedes } from 'aedes'
import { type Connection, endConnection } from './connection.ts'
import { endingOfClosed, isOurDoing } from './disconnect-reason.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { createPacketGate } from './packet-gate.ts'
import { nothingSent } from './sent-again.ts'
import { leave } from './sessions.ts'

/** The limit of sockets that have not signed in. All devices of an installation may connect at once. */
const MAX_SIGNING_IN = 20_000

/** Hands a socket over to the broker as a connection behind a packet gate. */
export function acceptSocket(parts: GatewayParts, broker: Aedes, socket: Socket): void {
  if (parts.isStopping || parts.signingIn.size >= MAX_SIGNING_IN) return void socket.destroy()
  const connection: Connection = {
    socket,
    // An IPv4 address is given in its IPv6 form.
    remoteAddress: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
    request: { clientId: '', clean: true, will: undefined },
    session: undefined,
    isLive: false,
    sent: nothingSent(),
    isStale: false,
    ending: undefined,
    waitingMessages: 0,
    waitingBytes: 0,
    gate: createPacketGate(socket, {
      mayRead: () => !parts.isStopping && parts.backlog.mayRead(connection),
      onBreach: (breach, message) => endConnection(connection, breach, message),
    }),
  }
  parts.connections.add(connection)
  parts.signingIn.set(connection, undefined)
  socket.once('close', () => closed(parts, connection))
  Object.assign(broker.handle(socket), { connection })
}

function closed(
  { ctx, connections, signingIn, backlog, sessions }: GatewayParts,
  connection: Connection,
): void {
  connections.delete(connection)
  signingIn.delete(connection)
  backlog.forget(connection)
  connection.ending ??= endingOfClosed(connection)
  if (isOurDoing(connection.ending)) {
    ctx.metrics.mqttRefusals.inc({ reason: connection.ending.reason })
    ctx.warnOfDevice('a device was disconnected', {
      device: connection.session?.account.id,
      remoteAddress: connection.remoteAddress,
      ...connection.ending,
    })
  }
  leave(sessions, connection)
}
