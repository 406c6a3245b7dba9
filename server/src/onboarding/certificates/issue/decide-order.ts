import { ApiError } from '../../../http/errors.ts'
import type { Authority } from '../authorities/authority.ts'
import type { StepCode } from '../../trace/step-codes.ts'
import type { KnownCertificates, RecentCertificate } from './known-certificates.ts'
import type { CertificateOrder } from './sign-device-certificate.ts'

/** Certificates that a device may get within a day. */
export const CERTIFICATES_PER_DAY = 20
const DAY_MS = 24 * 3600 * 1000

/** Why an authenticated device does not get the certificate that it ordered. */
export class OrderRefusal extends ApiError {
  constructor(
    readonly step: StepCode,
    code: 'forbidden' | 'rate_limited',
    message: string,
    retryAfterSeconds?: number,
  ) {
    super(code, message, {}, retryAfterSeconds)
  }
}

/** @returns the certificate that answered the same request before; undefined if one has to be made @throws OrderRefusal */
export function decideOrder(
  order: CertificateOrder,
  known: KnownCertificates,
): RecentCertificate | undefined {
  requireFreeKey(order, known)
  const recent = known.listRecent(order)
  const { requestFingerprint } = order
  const repeated = recent.find(
    (each) =>
      requestFingerprint &&
      !each.isUnusable &&
      each.groupId === order.groupId &&
      each.tier === order.tier &&
      each.requestFingerprint?.equals(requestFingerprint),
  )
  if (!repeated) requireFewer(recent)
  return repeated
}

/** @throws OrderRefusal */
export function requireEntitled(isEntitled: boolean): void {
  if (!isEntitled)
    throw new OrderRefusal(
      'request_refused',
      'forbidden',
      'The device, its credentials or its group changed while the request was sent. Send it again.',
    )
}

const HOUR_MS = 3600 * 1000

/** A certificate ends with its authority. @throws OrderRefusal */
export function requireLasting(authority: Authority | undefined): void {
  if (authority && authority.notAfter.getTime() < Date.now() + HOUR_MS)
    throw new OrderRefusal(
      'request_refused',
      'forbidden',
      'The issuing authority of the tenant has expired. An administrator has to rotate it, or import another one.',
    )
}

function requireFreeKey(order: CertificateOrder, known: KnownCertificates) {
  const key = known.findKey(order)
  if (key?.isCompromised)
    throw new OrderRefusal(
      'request_refused',
      'forbidden',
      'The key of the request is known to be compromised. Make a new key.',
    )
  if (key?.deviceIds.some((deviceId) => deviceId !== order.deviceId)) throw keyOfAnother()
}

/** @param holders devices of the batch by key; the device of the order is added @throws OrderRefusal */
export function requireOneHolder(
  { tenantId, deviceId, publicKey }: CertificateOrder,
  holders: Map<string, string>,
): void {
  const key = `${tenantId} ${publicKey.toString('latin1')}`
  if ((holders.get(key) ?? deviceId) !== deviceId) throw keyOfAnother()
  holders.set(key, deviceId)
}

const keyOfAnother = () =>
  new OrderRefusal(
    'request_refused',
    'forbidden',
    'The key of the request belongs to the certificate of another device. Make a key for each device.',
  )

function requireFewer(recent: RecentCertificate[]) {
  if (recent.length < CERTIFICATES_PER_DAY) return
  const oldestMs = recent[CERTIFICATES_PER_DAY - 1]!.issuedAt.getTime()
  throw new OrderRefusal(
    'too_many_certificates',
    'rate_limited',
    `The device got ${CERTIFICATES_PER_DAY} certificates within a day. Keep the last one, or wait.`,
    Math.max(1, (oldestMs + DAY_MS - Date.now()) / 1000),
  )
}
