import { createHmac } from 'node:crypto'

const KEY_BYTES = 32

/**
 * The key of one device, derived from the bootstrap key of its group: `base64(HMAC-SHA256(key, deviceId))`, where `key`
 * is the 32 bytes that the base64 text of the bootstrap key decodes to. A stolen device then gives access to itself only.
 *
 * Throws TypeError if the bootstrap key is not the base64 text of 32 bytes.
 */
export function deriveDeviceKey(bootstrapKey: string, deviceId: string): string {
  const key = Buffer.from(bootstrapKey, 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== bootstrapKey)
    throw new TypeError(`the bootstrap key is not the base64 text of ${KEY_BYTES} bytes`)
  return createHmac('sha256', key).update(deviceId).digest('base64')
}
