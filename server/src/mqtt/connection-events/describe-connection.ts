/** Describes a connection for its events. */
import { TLSSocket } from 'node:tls'
import { Socket } from 'node:net'
import type { Connection, ProtocolVersion } from '../state.ts'

const protocols: Record<ProtocolVersion, string> = { 3: '3.1', 4: '3.1.1', 5: '5' }

export function describeConnection({ stream, version, remoteAddress }: Connection) {
  const tlsVersion = stream instanceof TLSSocket ? stream.getProtocol() : null
  return {
    protocol: protocols[version],
    transport: tlsVersion !== null ? 'tls' : stream instanceof Socket ? 'tcp' : 'websocket',
    tls_version: tlsVersion,
    address: remoteAddress,
  }
}
