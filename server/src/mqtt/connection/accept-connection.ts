/** Serves one connection: reads its packets, one after the other, and hands each to its handler. */
import type { Duplex } from 'node:stream'
import type { GatewayParts } from '../gateway-parts.ts'
import { enterAddress, findCounts } from '../limits/addresses.ts'
import type { LimitName } from '../limits/limit-advice.ts'
import { recordUnexpectedTls } from '../authentication/trace-handshake.ts'
import { findRateLimit } from '../limits/rate.ts'
import { recordPause } from '../limits/record-pause.ts'
import { createInbound } from '../publish/acknowledge.ts'
import { flushOutbox } from '../sessions/outbox.ts'
import { PacketType } from './check-packet.ts'
import { connectionLost } from './disconnect-reason.ts'
import { endConnection, finishConnection } from './end-connection.ts'
import { handleFrame, refusePacket } from './handle-packet.ts'
import { MAX_UNSENT_BYTES, maxBodyBytes } from './limits.ts'
import { createOutput, unsentBytes } from './output.ts'
import { createFrameState, type FrameHandlers, readFrames } from './read-frames.ts'
import { PacketError, protocolError, ReasonCode } from './reason-codes.ts'
import type { Connection } from '../state.ts'

export function acceptConnection(parts: GatewayParts, stream: Duplex, address = ''): void {
  if (parts.isStopping) return void stream.destroy()
  const connection = createConnection(parts, stream, address)
  if (!enterAddress(parts, connection)) return void stream.destroy()
  parts.connections.add(connection)
  const handlers = createFrameHandlers(parts, connection)
  const read = (chunk?: Buffer) => readChunk(parts, connection, handlers, chunk)
  connection.resume = () => {
    if (!connection.isPaused || !mayRead(parts, connection)) return
    recordPause(parts, connection)
    connection.isPaused = false
    connection.sawPacket = true
    read()
  }
  const lost = () => finishConnection(parts, connection, connectionLost)
  stream.on('data', read)
  stream.on('drain', () => {
    if (connection.session) flushOutbox(parts, connection.session)
    connection.resume()
  })
  stream.on('end', () => {
    connection.inputEnded = true
    if (!connection.isPaused) lost()
  })
  // A listener may know which rule the device broke.
  stream.on('error', (error) =>
    error instanceof PacketError ? refusePacket(parts, connection, error) : lost(),
  )
  stream.once('close', lost)
}

function createConnection({ addresses }: GatewayParts, stream: Duplex, address: string): Connection {
  const nowMs = performance.now()
  // An IPv4 address is given in its IPv6 form.
  const remoteAddress = address.replace(/^::ffff:/, '')
  return {
    stream,
    remoteAddress,
    address: findCounts(addresses, remoteAddress),
    isOverAddressLimit: false,
    phase: 'waiting',
    version: 4,
    frames: createFrameState(),
    output: createOutput(stream),
    session: undefined,
    username: undefined,
    isStale: false,
    keepAliveMs: 0,
    openedMs: nowMs,
    lastPacketMs: nowMs,
    sawPacket: false,
    takenBytes: 0,
    takenAtMs: nowMs,
    isPaused: false,
    pausedBy: undefined,
    pausedMs: 0,
    rateLimitedUntilMs: 0,
    isStopping: false,
    inputEnded: false,
    partialBytes: 0,
    resume: () => {},
    inbound: createInbound(),
    lastTopic: undefined,
    clientLimits: undefined,
    outboundAliases: undefined,
    ending: undefined,
  }
}

const createFrameHandlers = (parts: GatewayParts, connection: Connection): FrameHandlers => ({
  onHeader(firstByte, bodyLength) {
    const type = firstByte >> 4
    if (connection.phase === 'waiting' && type !== PacketType.connect)
      throw protocolError('The first packet was not CONNECT.')
    const limit = maxBodyBytes(type)
    if (bodyLength > limit)
      throw new PacketError(
        ReasonCode.packetTooLarge,
        `A packet of ${bodyLength} bytes is over the limit of ${limit}.`,
        type === PacketType.publish ? 'message_bytes' : 'packet_bytes',
      )
  },
  onFrame(frame) {
    handleFrame(parts, connection, frame)
    return mayRead(parts, connection)
  },
})

/** Packets that follow CONNECT wait until it is answered. If this returns false, `resume` is called once that may change. */
const mayRead = (parts: GatewayParts, connection: Connection): boolean =>
  connection.phase === 'open' && !connection.isStopping && findFullLimit(parts, connection) === undefined

function findFullLimit(parts: GatewayParts, connection: Connection): LimitName | undefined {
  if (unsentBytes(connection.output) > MAX_UNSENT_BYTES) return 'unsent_bytes'
  if (connection.rateLimitedUntilMs > 0 && connection.rateLimitedUntilMs > performance.now())
    return findRateLimit(connection)
  return parts.backlog.findFullLimit(connection)
}

/** @param chunk undefined to continue with the bytes that are held */
function readChunk(
  parts: GatewayParts,
  connection: Connection,
  handlers: FrameHandlers,
  chunk: Buffer | undefined,
): void {
  const { frames, stream } = connection
  if (connection.phase === 'ended') return
  try {
    if ((connection.isPaused || connection.isStopping) && chunk)
      frames.held = frames.held ? Buffer.concat([frames.held, chunk]) : chunk
    else readFrames(frames, handlers, chunk)
  } catch (error) {
    if (!(error instanceof PacketError)) throw error
    if (connection.phase === 'waiting') recordUnexpectedTls(parts.ctx.attempts, connection, chunk)
    refusePacket(parts, connection, error)
  }
  if ((connection.phase as string) === 'ended') return
  countPartialBytes(parts, connection)
  const isReading = connection.phase === 'waiting' || (!frames.held && mayRead(parts, connection))
  if (!isReading) markPaused(parts, connection)
  if (!isReading) stream.pause()
  else if (connection.inputEnded) finishConnection(parts, connection, connectionLost)
  else if (stream.isPaused()) stream.resume()
}

function markPaused(parts: GatewayParts, connection: Connection): void {
  if (connection.isPaused) return
  connection.isPaused = true
  connection.pausedBy = connection.phase === 'open' ? findFullLimit(parts, connection) : undefined
  connection.pausedMs = performance.now()
}

/** Limits the memory of all connections that wait for the rest of a packet or of a sign-in. */
function countPartialBytes(parts: GatewayParts, connection: Connection): void {
  const { partial, held } = connection.frames
  const bytes = (partial?.length ?? 0) + (held?.length ?? 0)
  const growth = bytes - connection.partialBytes
  if (growth === 0) return
  connection.partialBytes = bytes
  parts.partialBytes += growth
  if (growth > 0 && parts.partialBytes > parts.limits.partialBytes) {
    if (connection.session)
      parts.ledger.record(connection.session.account.number, {
        limit: 'partial_bytes_of_all',
        outcome: 'refused',
      })
    endConnection(parts, connection, {
      reason: 'too_slow',
      message: `The server holds ${parts.limits.partialBytes} bytes of packets that are incomplete or wait, which is its limit.`,
      code: ReasonCode.serverBusy,
    })
  }
}
