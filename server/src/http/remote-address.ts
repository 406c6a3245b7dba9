import type { IncomingMessage } from 'node:http'
import type { TrustProxy } from '../lib/trusted-proxies.ts'

/** The address of the client of an upgrade: behind trusted proxies the one that they name, as Fastify finds it for routes. */
export function findRemoteAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustProxy: TrustProxy,
): string | undefined {
  let address = socket.remoteAddress
  if (!trustProxy) return address
  const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  for (const [hop, next] of named.reverse().entries()) {
    if (address === undefined || next.trim() === '' || !trustProxy(address, hop)) break
    address = next.trim()
  }
  return address
}
