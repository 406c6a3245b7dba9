/** Readers of the values of settings. Each throws what the value must be. */
import { isIP } from 'node:net'
import { parseAllowRules } from './outbound-addresses.ts'

export type Parse<T> = (text: string) => T

export const text: Parse<string> = (value) => value

export const port: Parse<number> = (value) => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) throw new Error('must be a port, 0 to 65535')
  return Number(value)
}

export const count: Parse<number> = (value) => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error('must be a whole number from 1 to 999999999')
  return Number(value)
}

export const wholeSeconds =
  (most: number): Parse<number> =>
  (value) => {
    if (!/^\d{1,9}$/.test(value) || Number(value) > most)
      throw new Error(`must be a whole number of seconds, 0 to ${most}`)
    return Number(value)
  }

export const byteCount: Parse<number> = (value) => {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new Error('must be a number of bytes')
  return Number(value)
}

/** Less would be full with the messages of a few devices. */
const LEAST_STREAM_BYTES = 16 * 1024 * 1024

export const streamByteCount: Parse<number> = (value) => {
  const bytes = byteCount(value)
  if (bytes < LEAST_STREAM_BYTES) throw new Error(`must be ${LEAST_STREAM_BYTES} bytes or more`)
  return bytes
}

export const url =
  (...protocols: string[]): Parse<string> =>
  (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Error(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return value.replace(/\/$/, '')
  }

export const choice =
  (...values: string[]): Parse<string> =>
  (value) => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

export const ingestWay: Parse<'database' | 'stream'> = (value) =>
  choice('database', 'stream')(value) === 'stream' ? 'stream' : 'database'

export const secretKey: Parse<Buffer> = (value) => {
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new Error('must be 32 bytes in base64')
  return key
}

export const email: Parse<string> = (value) => {
  if (!/^[^@\s]+@[^@\s]+$/.test(value)) throw new Error('must be an email address')
  return value
}

/** `me@example.com` or `Name <me@example.com>` */
export const sender: Parse<string> = (value) => {
  email(/<(.*)>$/.exec(value)?.[1] ?? value)
  return value
}

export const token: Parse<string> = (value) => {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) throw new Error('must have 16 characters or more, without blanks')
  return value
}

export const password: Parse<string> = (value) => {
  if (value.length < 8) throw new Error('must have 8 characters or more')
  return value
}

export const passphrase: Parse<string> = (value) => {
  if (value.length < 12) throw new Error('must have 12 characters or more')
  return value
}

export const list: Parse<string[]> = (value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

export const allowList: Parse<string[]> = (value) => {
  parseAllowRules(list(value))
  return list(value)
}

const isDomain = (name: string) => /^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(name)

export const domainList: Parse<string[]> = (value) => {
  const wrong = list(value).find((domain) => !isDomain(domain))
  if (wrong) throw new Error(`${wrong} is no domain, such as example.com`)
  return list(value).map((domain) => domain.toLowerCase())
}

/** A wildcard stands for one label, as in certificates. */
export const hostList: Parse<string[]> = (value) => {
  const wrong = list(value).find((name) => isIP(name) === 0 && !isDomain(name.replace(/^\*\./, '')))
  if (wrong)
    throw new Error(`${wrong} is no host name or address, such as gangway.example.com or 192.168.1.5`)
  return list(value).map((name) => name.toLowerCase())
}

export const yesOrNo: Parse<boolean> = (value) => choice('yes', 'no')(value) === 'yes'

/** The packets and bytes a second that a device may send. */
export interface PacketRate {
  packets: number
  bytes: number
}

const UNITS: Record<string, number> = { bytes: 1, KiB: 1024, MiB: 1024 * 1024 }

/** `10000 packets, 16 MiB`; undefined for `off` */
export const packetRate: Parse<PacketRate | undefined> = (value) => {
  if (value === 'off') return undefined
  const [, packets, amount, unit] =
    /^([1-9]\d{0,8}) packets, ([1-9]\d{0,8}) (bytes|KiB|MiB)$/.exec(value) ?? []
  if (!unit) throw new Error('must be like "10000 packets, 16 MiB" (also KiB or bytes), or "off"')
  return { packets: Number(packets), bytes: Number(amount) * UNITS[unit]! }
}
