import { createHmac } from 'node:crypto'

/**
 * The key of one device, derived from the bootstrap key of its group: `base64(HMAC-SHA256(bootstrapKey, deviceId))`.
 * A stolen device then gives access to itself only. Both inputs are used as UTF-8 text; the bootstrap key is not
 * decoded from its base64 first.
 */
export const deriveDeviceKey = (bootstrapKey: string, deviceId: string): string =>
  createHmac('sha256', bootstrapKey).update(deviceId).digest('base64')
