/** The network by which throttles count a client. */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

const LONGEST_KEY = 64
/** Some proxies add the port: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+)):\d+$/

/**
 * The IPv4 address, or the /64 of an IPv6 address, all of whose addresses usually belong to one client.
 *
 * @param address from the socket or a trusted proxy
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? []
  const bare = ipv6 ?? ipv4 ?? address
  if (!ipaddr.isValid(bare)) return address.slice(0, LONGEST_KEY)
  // An IPv4 address that is written as IPv6 counts as the IPv4 address.
  const parsed = ipaddr.process(bare)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const groups = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((group) => group.toString(16))
  return `${groups.join(':')}::/64`
}
