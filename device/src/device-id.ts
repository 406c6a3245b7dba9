const DEVICE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/

/** Checks a device id before it is used in topics and Basic credentials. Throws TypeError. */
export function assertDeviceId(deviceId: string): void {
  if (typeof deviceId === 'string' && DEVICE_ID.test(deviceId)) return
  throw new TypeError(
    `deviceId must be 1 to 128 letters, digits, '.', '_' or '-', and not '.' or '..': found ${JSON.stringify(deviceId)}`,
  )
}
