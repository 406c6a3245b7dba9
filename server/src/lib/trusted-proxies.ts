/** Parses which proxies are trusted to set `X-Forwarded-For`. */
import { BlockList, isIP } from 'node:net'

/** @param hop 0 for the peer of the connection, 1 for the address that the peer names, and so on */
export type TrustProxy = false | ((address: string, hop: number) => boolean)

const MAX_PROXIES = 16
const FORM =
  'must be the number of proxies in front of the server (1 behind one), or their addresses and CIDRs, such as 10.0.0.0/8,2001:db8::1'

/** @throws Error */
export function parseTrustedProxies(text: string): TrustProxy {
  if (text === 'false' || text === '0') return false
  if (/^\d+$/.test(text)) return trustHops(Number(text))
  const proxies = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) addRange(proxies, entry)
  return (address) => {
    const version = isIP(address)
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

function trustHops(count: number): TrustProxy {
  if (count > MAX_PROXIES) throw new Error(`${FORM}; ${count} proxies are more than ${MAX_PROXIES}`)
  return (_address, hop) => hop < count
}

function addRange(proxies: BlockList, entry: string): void {
  const [address = '', bits, ...rest] = entry.split('/')
  const version = isIP(address)
  const longest = version === 6 ? 128 : 32
  const prefix = bits === undefined ? longest : Number(bits)
  if (version === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || prefix > longest)
    throw new Error(`${FORM}; "${entry}" is neither`)
  if (prefix === 0) throw new Error(`${FORM}; "${entry}" would trust every address`)
  proxies.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4')
}
