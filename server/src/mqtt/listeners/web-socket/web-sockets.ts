/** Accepts devices over WebSocket at `/mqtt`, on the port of the HTTP routes. [docs/mqtt#websocket] */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Issue, validationError } from '../../../http/errors.ts'
import { refuseUpgrade, type Upgrade, type Upgrades } from '../../../http/upgrades.ts'
import type { PeerStream } from '../../authentication/peer-certificate.ts'
import type { Gateway } from '../../gateway.ts'
import { createWebSocketStream } from './web-socket-stream.ts'

const PATH = '/mqtt'
const SUB_PROTOCOL = 'mqtt'
/** [RFC 6455, 1.3] */
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const HANDSHAKE_KEY = /^[A-Za-z0-9+/]{22}==$/

/** @returns stops accepting, and ends the connections once what arrived on them is stored and acknowledged */
export function acceptWebSockets(
  gateway: Pick<Gateway, 'accept' | 'endStreams'>,
  upgrades: Upgrades,
): AsyncDisposable {
  const streams = new Set<Duplex>()
  const stopServing = upgrades.serve([PATH], (upgrade) => {
    const stream = openWebSocket(upgrade)
    if (!stream) return
    streams.add(stream)
    stream.once('close', () => streams.delete(stream))
    gateway.accept(stream, upgrade.remoteAddress)
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stopServing()
      await gateway.endStreams(streams)
    },
  }
}

/** @returns undefined if the request was refused */
function openWebSocket({ request, stream, head }: Upgrade): Duplex | undefined {
  const issue = findIssue(request)
  if (issue) return void refuseUpgrade(stream, validationError(issue))
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key']! + HANDSHAKE_GUID)
    .digest('base64')
  const answer = [
    'HTTP/1.1 101 Switching Protocols',
    'upgrade: websocket',
    'connection: Upgrade',
    `sec-websocket-accept: ${accept}`,
    `sec-websocket-protocol: ${SUB_PROTOCOL}`,
  ]
  request.socket.setTimeout(0)
  request.socket.setNoDelay(true)
  request.socket.setKeepAlive(true)
  stream.write(`${answer.join('\r\n')}\r\n\r\n`)
  const peer: Duplex & PeerStream = stream
  return createWebSocketStream(stream, head, isOfOtherSite(request) ? undefined : peer)
}

/** A browser shows its user's certificate for the pages of any site, so that these could act as the device. */
function isOfOtherSite({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}

function findIssue({ method, headers }: IncomingMessage): Issue | undefined {
  if (method !== 'GET') return { path: 'method', message: 'must be GET for a WebSocket' }
  if (headers['sec-websocket-version'] !== '13')
    return { path: 'Sec-WebSocket-Version', message: 'must be 13' }
  if (!HANDSHAKE_KEY.test(headers['sec-websocket-key'] ?? ''))
    return { path: 'Sec-WebSocket-Key', message: 'must be 16 bytes in base64' }
  // [MQTT-6.0.0-3]
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes(SUB_PROTOCOL))
    return { path: 'Sec-WebSocket-Protocol', message: `must contain ${SUB_PROTOCOL}` }
  return undefined
}
