import type { RenewalFailure } from './certificates/keep-renewed.ts'
import type { CredentialName } from './credentials.ts'
import type { DeviceError } from './device-error.ts'
import type { Events } from './events.ts'
import { createEvents } from './events.ts'

export interface DeviceEvents {
  /** The session is open and the device is subscribed to desired properties and methods. */
  connected: { host: string; port: number; credential: CredentialName }
  /** An open session ended: `connection_lost`, `closed` by `close()`, or `renewed` to sign in with a new certificate. */
  disconnected: { code: 'connection_lost' | 'closed' | 'renewed'; message: string }
  /** The next attempt is in `delayMs`; `failures` is the number of failures in a row. */
  retrying: { failures: number; delayMs: number; reason: DeviceError }
  /** Number of lost messages: the buffer was full, or the device was closed before they were acknowledged. */
  dropped: { count: number; reason: 'buffer_full' | 'closed' }
  /** The device has signed in with a new certificate, which is now the one in use. */
  renewed: { serialNumber: string; expiresAt: Date }
  /** No new certificate could be obtained or used. The one in use stays, and the next request follows. */
  renewal_failed: RenewalFailure
  error: DeviceError
}

const LOSSES: ReadonlySet<keyof DeviceEvents> = new Set(['error', 'dropped', 'renewal_failed'])

/** Losses, failures and errors without a listener become one process warning of each kind. */
export function createDeviceEvents(deviceId: string): Events<DeviceEvents> {
  const warned = new Set<keyof DeviceEvents>()
  return createEvents<DeviceEvents>((name, event) => {
    if (!LOSSES.has(name) || warned.has(name)) return
    warned.add(name)
    const text = event instanceof Error ? event.message : JSON.stringify(event)
    process.emitWarning(`device ${deviceId}: unheard '${name}' event, further ones are not shown: ${text}`)
  })
}
