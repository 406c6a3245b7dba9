/**
 * Logs a warning for each device that is refused or sends a message that cannot be stored. A fleet with one mistake
 * repeats it thousands of times, so warnings are limited: one for each device and reason, and twenty in all, every ten
 * seconds. The number of omitted warnings is logged after the ten seconds.
 */
import type { Logger } from 'pino'

interface DeviceWarning {
  /** Device id that the client sent; such a device need not exist. */
  device: string | undefined
  /** A stable code. */
  reason: string
  /** What happened, and what to do. */
  message: string
  remoteAddress?: string
  /** The id of the HTTP request. */
  reqId?: string
  topic?: string
}

export type WarnOfDevice = (text: string, warning: DeviceWarning) => void

const WINDOW_MS = 10_000
const LINES_A_WINDOW = 20
/** An unauthenticated client can send any text as its device id. */
const NAME_LENGTH = 128

export function createDeviceWarnings(log: Logger): WarnOfDevice {
  const written = new Set<string>()
  let omitted = 0

  const endWindow = () => {
    if (omitted > 0) log.warn({ omitted, seconds: WINDOW_MS / 1000 }, 'further device warnings were omitted')
    written.clear()
    omitted = 0
  }

  return (text, warning) => {
    if (!log.isLevelEnabled('warn')) return
    const device = warning.device?.slice(0, NAME_LENGTH)
    const key = `${warning.reason} ${device}`
    if (written.has(key) || written.size >= LINES_A_WINDOW) return void (omitted += 1)
    if (written.size === 0) setTimeout(endWindow, WINDOW_MS).unref()
    written.add(key)
    log.warn({ ...warning, device }, text)
  }
}
