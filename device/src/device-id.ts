const DEVICE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/

/** Device ids stand in topics and in Basic credentials, so a bad one must not get as far as the wire. Throws TypeError. */
export function assertDeviceId(deviceId: string): void {
  if (typeof deviceId === 'string' && DEVICE_ID.test(deviceId)) return
  throw new TypeError(
    `deviceId must be 1 to 128 letters, digits, '.', '_' or '-', and not '.' or '..': found ${JSON.stringify(deviceId)}`,
  )
}
