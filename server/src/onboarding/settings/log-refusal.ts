import { ApiError } from '../../http/errors.ts'
import type { WarnOfDevice } from '../../lib/device-warnings.ts'

/** Logs why a device received no settings. Internal errors are logged elsewhere, with their stack. */
export function logRefusal(
  warnOfDevice: WarnOfDevice,
  from: { device: string; remoteAddress: string; reqId: string },
  error: unknown,
): void {
  if (!(error instanceof ApiError)) return
  const { code, message } = error
  warnOfDevice('settings refused to a device', { ...from, reason: code, message })
}
