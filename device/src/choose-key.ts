import { deriveDeviceKey } from './device-key.ts'

/** Credentials for onboarding, until the device has its own. */
export interface KeyOptions {
  /** The key of this device, derived from a bootstrap key of its group: by `deriveDeviceKey`, or by the platform. */
  key?: string
  /** A bootstrap key of the enrollment group, in the place of `key`. */
  bootstrapKey?: string
  /** Derives the device's key from `bootstrapKey` and sends only that. Default false. */
  deriveKey?: boolean
}

/** Throws TypeError without exactly one key. */
export function chooseKey({ key, bootstrapKey, deriveKey }: KeyOptions, deviceId: string): string {
  if (key !== undefined && (bootstrapKey !== undefined || deriveKey))
    throw new TypeError('give either key or bootstrapKey; only bootstrapKey goes with deriveKey')
  const given = key ?? bootstrapKey
  if (!given) throw new TypeError('key and bootstrapKey are empty')
  return deriveKey ? deriveDeviceKey(given, deviceId) : given
}
