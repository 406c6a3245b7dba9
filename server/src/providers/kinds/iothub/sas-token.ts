import { createHmac } from 'node:crypto'
import type { HubConnection } from './connection-string.ts'

/** A token is used for one request; the long lifetime tolerates clock differences. */
const LIFETIME_SECONDS = 600

/** Creates the shared access signature of the service API: HMAC-SHA256 over the escaped host name and the expiry. */
export function sasToken({ hostName, keyName, key }: HubConnection, nowMs = Date.now()): string {
  const resource = encodeURIComponent(hostName)
  const expiry = Math.floor(nowMs / 1000) + LIFETIME_SECONDS
  const signature = createHmac('sha256', key).update(`${resource}\n${expiry}`).digest('base64')
  const fields = { sr: resource, sig: encodeURIComponent(signature), se: expiry, skn: keyName }
  return `SharedAccessSignature ${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')}`
}
