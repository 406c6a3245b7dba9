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
  for (let hop = 0; hop < named.length && address !== undefined && trustProxy(address, hop); hop++) {
    const next = named.at(-1 - hop)!.trim()
    if (next === '') break
    address = next
  }
  return address
}
