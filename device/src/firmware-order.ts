import type { JsonObject } from './json.ts'

/** An order in a desired property: `{url, sha256, size?, release?, …}`. Other fields are for the application. */
export interface FirmwareOrder {
  /** Fetched with Range, so that an interrupted download continues. */
  url: string
  /** SHA-256 of the file, hexadecimal. */
  sha256: string
  /** Size in bytes, if the order contains it. */
  size?: number
  release?: string
  /** The whole value of the desired property. */
  value: JsonObject
}

/** Returns the order, or the reason why the value is not an order. */
export function readFirmwareOrder(value: unknown): FirmwareOrder | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'the order is not a JSON object'
  const { url, sha256, size, release } = value as JsonObject
  if (typeof url !== 'string' || !isHttpUrl(url)) return 'url is not an http or https address'
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256))
    return 'sha256 is not a SHA-256 in hexadecimal'
  if (size !== undefined && !(Number.isSafeInteger(size) && (size as number) >= 0))
    return 'size is not a number of bytes'
  if (release !== undefined && typeof release !== 'string') return 'release is not text'
  return {
    url,
    sha256: sha256.toLowerCase(),
    value: value as JsonObject,
    ...(size !== undefined && { size: size as number }),
    ...(release !== undefined && { release }),
  }
}

function isHttpUrl(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}
