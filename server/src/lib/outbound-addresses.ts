/**
 * Decides which addresses may be called: public ones and those that the operator lists. An IPv6 address that embeds an
 * IPv4 address (for a translator or a tunnel) is judged by the IPv4 address.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AllowRules {
  hosts: Set<string>
  ranges: [Address, number][]
}

const LOOPBACK = ['127.0.0.0/8', '::1/128']
/** The last label of a host name begins with a letter, which tells it from an address. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?$/i

/**
 * @param allow host names, addresses and CIDRs; `loopback` stands for 127.0.0.0/8, ::1 and localhost
 * @throws Error that names an invalid entry
 */
export function parseAllowRules(allow: string[]): AllowRules {
  const rules: AllowRules = { hosts: new Set(), ranges: [] }
  for (const entry of allow.flatMap((each) => (each === 'loopback' ? LOOPBACK : [each]))) {
    const range = parseRange(entry)
    if (range) rules.ranges.push(range)
    else if (HOST_NAME.test(entry)) rules.hosts.add(entry.toLowerCase())
    else
      throw new Error(
        `${entry} is no host name, address or CIDR (such as 10.0.0.0/8); loopback is a word for this machine`,
      )
  }
  return rules
}

function parseRange(entry: string): [Address, number] | undefined {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return undefined
  const most = family === 4 ? 32 : 128
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined
  return [ipaddr.parse(address), bits === undefined ? most : Number(bits)]
}

export function isAllowedAddress(text: string, rules: AllowRules): boolean {
  const address = ipaddr.parse(text)
  if (isListed(address, rules)) return true
  const isAllowedIPv4 = (ipv4: ipaddr.IPv4) => ipv4.range() === 'unicast' || isListed(ipv4, rules)
  if (address instanceof ipaddr.IPv4) return isAllowedIPv4(address)
  const embedding = embeddings.find(({ prefix, bits }) => address.match(prefix, bits))
  if (!embedding) return isGlobalUnicast(address) && isatapAddress(address).every(isAllowedIPv4)
  const readings = embedding.read(address.toByteArray())
  return readings.length > 0 && readings.every(isAllowedIPv4)
}

const isListed = (address: Address, { ranges }: AllowRules) =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range as never, bits))

/** Only 2000::/3 is allocated. [RFC 4291 §2.4] */
const isGlobalUnicast = (address: ipaddr.IPv6) =>
  address.parts[0]! >> 13 === 1 && address.range() === 'unicast'

interface Embedding {
  prefix: ipaddr.IPv6
  bits: number
  /** Returns several addresses if the embedding is ambiguous. */
  read(bytes: number[]): ipaddr.IPv4[]
}

const embedding = (range: string, read: Embedding['read']): Embedding => {
  const [prefix, bits] = ipaddr.IPv6.parseCIDR(range)
  return { prefix, bits, read }
}

const ipv4At = (bytes: number[], ...places: number[]) => new ipaddr.IPv4(places.map((place) => bytes[place]!))
const inTheEnd = (bytes: number[]) => [ipv4At(bytes, 12, 13, 14, 15)]

const embeddings = [
  embedding('::ffff:0:0/96', inTheEnd), // IPv4-mapped, RFC 4291
  embedding('::/96', inTheEnd), // IPv4-compatible, RFC 4291; ::1 reads as 0.0.0.1, which is not public either
  embedding('::ffff:0:0:0/96', inTheEnd), // IPv4-translated, RFC 2765
  embedding('64:ff9b::/96', inTheEnd), // NAT64, RFC 6052
  // Local NAT64 with a prefix of any length; byte 8 is always 0. [RFC 8215, RFC 6052 §2.2]
  embedding('64:ff9b:1::/48', (bytes) =>
    [
      ipv4At(bytes, 6, 7, 9, 10),
      ipv4At(bytes, 7, 9, 10, 11),
      ipv4At(bytes, 9, 10, 11, 12),
      ipv4At(bytes, 12, 13, 14, 15),
    ].filter(({ octets }) => octets[0] !== 0),
  ),
  embedding('2002::/16', (bytes) => [ipv4At(bytes, 2, 3, 4, 5)]), // 6to4, RFC 3056
  // Teredo, RFC 4380: the server, and the client with inverted bits.
  embedding('2001::/32', (bytes) => [
    ipv4At(bytes, 4, 5, 6, 7),
    ...inTheEnd(bytes.map((byte) => byte ^ 255)),
  ]),
]

/** ISATAP, under any prefix: 0000:5efe or 0200:5efe, then the IPv4 address. [RFC 5214] */
const isatapAddress = (address: ipaddr.IPv6) =>
  (address.parts[4]! & 0xfdff) === 0 && address.parts[5] === 0x5efe ? inTheEnd(address.toByteArray()) : []
