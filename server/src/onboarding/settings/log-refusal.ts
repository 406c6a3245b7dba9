import { ApiError } from '../../http/errors.ts'
import type { WarnOfDevice } from '../../lib/device-warnings.ts'

/** A device that gets no settings is a line in the log. What failed here is logged with its stack elsewhere. */
export function warnOfRefusal(
  warnOfDevice: WarnOfDevice,
  from: { device: string; remoteAddress: string },
  error: unknown,
): void {
  if (!(error instanceof ApiError)) return
  const { code, message } = error
  warnOfDevice('a device got no settings', { ...from, reason: code, message })
}
