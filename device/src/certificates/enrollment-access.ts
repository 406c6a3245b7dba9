import type { KeyOptions } from '../choose-key.ts'
import { chooseKey } from '../choose-key.ts'
import { assertDeviceId } from '../device-id.ts'
import type { TlsOptions } from '../session.ts'

export interface EnrollmentAccess extends KeyOptions {
  /** EST address of the enrollment group: `https://<host>:8443/.well-known/est/<enrollment group id>`. */
  estUrl: string | URL
  deviceId: string
  /** Certificate that the manufacturer put into the device, with its issuers, and its private key, PEM. */
  manufacturerCertificate?: { cert: string | Buffer; key: string | Buffer }
  /** Certificate authorities to trust instead of the system's, PEM. */
  ca?: TlsOptions['ca']
  /** Limit of one request, in milliseconds. Default 30,000. */
  timeoutMs?: number
}

/** The same, checked. */
export interface ResolvedAccess {
  estUrl: URL
  deviceId: string
  /** How the device signs in without a certificate of the platform; null where it cannot. */
  initial: { basic: string } | { tls: TlsOptions } | null
  tls: TlsOptions
  timeoutMs: number
}

/** Throws TypeError for invalid options. */
export function resolveAccess(access: EnrollmentAccess): ResolvedAccess {
  const { deviceId, ca, timeoutMs = 30_000 } = access
  assertDeviceId(deviceId)
  const estUrl = new URL(access.estUrl)
  // The certificate of the server proves that the device's key is sent to the right address.
  if (estUrl.protocol !== 'https:')
    throw new TypeError(`estUrl must be an https address, not ${estUrl.protocol}`)
  if (!estUrl.pathname.endsWith('/')) estUrl.pathname += '/'
  return { estUrl, deviceId, initial: resolveInitial(access), tls: ca === undefined ? {} : { ca }, timeoutMs }
}

function resolveInitial(access: EnrollmentAccess): ResolvedAccess['initial'] {
  const { deviceId, key, bootstrapKey, manufacturerCertificate } = access
  const hasKey = key !== undefined || bootstrapKey !== undefined
  if (hasKey && manufacturerCertificate) throw new TypeError('give either a key or manufacturerCertificate')
  if (manufacturerCertificate) return { tls: manufacturerCertificate }
  return hasKey ? { basic: `${deviceId}:${chooseKey(access, deviceId)}` } : null
}
