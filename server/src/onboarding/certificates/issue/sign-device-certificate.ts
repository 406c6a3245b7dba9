/** Makes the certificate of a device, as a row that is not stored yet. */
import type { DeviceCertificateRow } from '../../../database/tables/certificates.ts'
import { newId } from '../../../lib/ids.ts'
import type { Authority } from '../authorities/authority.ts'
import { sha256 } from '../key-algorithms.ts'
import {
  authorityKeyIdentifier,
  buildCertificate,
  clientAuthentication,
  leafConstraints,
  makeName,
  makeSerialNumber,
  revocationListAddress,
  signingKeyUsage,
  subjectKeyIdentifier,
} from './build-certificate.ts'

const DAY_MS = 24 * 3600 * 1000
/** The clock of a device may be slow. [docs/certificates#certificates] */
const BACK_DATED_MS = DAY_MS

/** The same in all certificates of devices. */
const COMMON_EXTENSIONS = [leafConstraints(), signingKeyUsage(), clientAuthentication()]

/** A checked request for the certificate of an authenticated device. */
export interface CertificateOrder {
  tenantId: string
  groupId: string
  deviceId: string
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Buffer
  /** SHA-256 of the certificate request; a repeated request gets the same certificate. */
  requestFingerprint: Buffer | null
  tier: 1 | 2 | 3
  validityDays: number
  /** The bootstrap key that the device signed in with; null for a certificate. */
  keyId: string | null
  /** The certificate of this platform that the device signed in with. */
  presentedId: string | null
}

export type NewCertificate = Omit<
  DeviceCertificateRow,
  'issued_at' | 'connected_at' | 'superseded_at' | 'revoked_at' | 'revocation_reason' | 'expiry_announced_at'
>

/** @param crlUrl where the authority's revocation list is */
export async function signDeviceCertificate(
  authority: Authority,
  order: CertificateOrder,
  crlUrl: string,
): Promise<NewCertificate> {
  const serialNumber = makeSerialNumber()
  const now = Math.floor(Date.now() / 1000) * 1000
  const notBefore = new Date(now - BACK_DATED_MS)
  // A certificate that outlives its issuer would fail before its own end.
  const notAfter = new Date(Math.min(now + order.validityDays * DAY_MS, authority.notAfter.getTime()))
  const certificate = await buildCertificate(
    {
      serialNumber,
      notBefore,
      notAfter,
      issuer: authority.name,
      subject: makeName({ commonName: order.deviceId, organizationalUnit: order.tenantId }),
      publicKey: order.publicKey,
      extensions: [
        ...COMMON_EXTENSIONS,
        subjectKeyIdentifier(order.publicKey),
        authorityKeyIdentifier(authority.keyIdentifier),
        revocationListAddress(crlUrl),
      ],
    },
    authority.signer,
  )
  return {
    id: newId(),
    tenant_id: order.tenantId,
    enrollment_group_id: order.groupId,
    device_id: order.deviceId,
    authority_id: authority.id,
    serial_number: serialNumber.toString('hex'),
    fingerprint: sha256(certificate),
    public_key_fingerprint: sha256(order.publicKey),
    request_fingerprint: order.requestFingerprint,
    certificate,
    tier: order.tier,
    not_before: notBefore,
    not_after: notAfter,
  }
}
