import { createHmac } from 'node:crypto'

/**
 * Derives the key of one device: base64(HMAC-SHA256(key, device id in UTF-8)). [docs/onboarding#derived-keys]
 * @param keyBytes the 32 bytes that the base64 text of a bootstrap key decodes to
 */
export const deriveKey = (keyBytes: Buffer, deviceId: string): string =>
  createHmac('sha256', keyBytes).update(deviceId).digest('base64')
