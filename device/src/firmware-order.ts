import type { JsonObject } from './json.ts'

/** What a desired property asks for: `{url, sha256, size?, release?, …}`. The rest is the application's. */
export interface FirmwareOrder {
  /** Fetched with Range, so that an interrupted download goes on where it was. */
  url: string
  /** Of the whole file, hexadecimal. */
  sha256: string
  /** Bytes, where the order says so. */
  size?: number
  release?: string
  /** The whole value of the desired property. */
  value: JsonObject
}

/** Answers the order, or why it is none. */
export function readFirmwareOrder(value: unknown): FirmwareOrder | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'the order is no JSON object'
  const { url, sha256, size, release } = value as JsonObject
  if (typeof url !== 'string' || !isHttpUrl(url)) return 'url is no http or https address'
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/i.test(sha256))
    return 'sha256 is no SHA-256 in hexadecimal'
  if (size !== undefined && !(Number.isSafeInteger(size) && (size as number) >= 0))
    return 'size is no count of bytes'
  if (release !== undefined && typeof release !== 'string') return 'release is no text'
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
