import Type from 'typebox'
import { OnboardingPage } from '../../../http/page.ts'
import { DeviceId, formatTimestamp, Nullable, Timestamp, Uuid } from '../../../http/shapes.ts'
import { revocationReasons } from '../revocation/reasons.ts'
import { certificateStates } from './states.ts'
import type { ListedCertificate } from './store.ts'

const State = Type.Enum([...certificateStates], { description: 'See the states of certificates' })
const Reason = Nullable(Type.Enum([...revocationReasons]))
const Tier = Type.Integer({
  description:
    'How the device proved its identity: 1 bootstrap key, 2 derived key, 3 manufacturer certificate',
})
const SerialNumber = Type.String({ description: 'Lower-case hexadecimal' })
const Fingerprint = Type.String({ description: 'SHA-256 of the certificate, lower-case hexadecimal' })

/** [docs/certificates#lists] */
export const DeviceCertificate = Type.Object(
  {
    id: Uuid,
    device_id: DeviceId,
    enrollment_group_id: Nullable(Uuid),
    authority_id: Uuid,
    state: State,
    serial_number: SerialNumber,
    fingerprint: Fingerprint,
    tier: Tier,
    not_before: Timestamp,
    not_after: Timestamp,
    issued_at: Timestamp,
    connected_at: Nullable(Timestamp),
    superseded_at: Nullable(Timestamp),
    revoked_at: Nullable(Timestamp),
    revocation_reason: Reason,
  },
  { title: 'DeviceCertificate' },
)
export const DeviceCertificatePage = OnboardingPage(DeviceCertificate)

/** The same for the platform API. */
export const CertificateRecord = Type.Object(
  {
    id: Uuid,
    deviceId: DeviceId,
    enrollmentGroupId: Nullable(Uuid),
    authorityId: Uuid,
    state: State,
    serialNumber: SerialNumber,
    fingerprint: Fingerprint,
    tier: Tier,
    notBefore: Timestamp,
    notAfter: Timestamp,
    issuedAt: Timestamp,
    connectedAt: Nullable(Timestamp),
    supersededAt: Nullable(Timestamp),
    revokedAt: Nullable(Timestamp),
    revocationReason: Reason,
  },
  { title: 'CertificateRecord' },
)

export const ForecastWeek = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    expiring: Type.Integer({
      description: 'Certificates in use, or issued and not used yet, that expire then',
    }),
  },
  { title: 'CertificateForecastWeek' },
)

export const deviceCertificateShape = (row: ListedCertificate) => ({
  id: row.id,
  device_id: row.device_id,
  enrollment_group_id: row.enrollment_group_id,
  authority_id: row.authority_id,
  state: row.state,
  serial_number: row.serial_number,
  fingerprint: row.fingerprint.toString('hex'),
  tier: row.tier,
  not_before: row.not_before.toISOString(),
  not_after: row.not_after.toISOString(),
  issued_at: row.issued_at.toISOString(),
  connected_at: formatTimestamp(row.connected_at),
  superseded_at: formatTimestamp(row.superseded_at),
  revoked_at: formatTimestamp(row.revoked_at),
  revocation_reason: row.revocation_reason,
})

export const certificateShape = (row: ListedCertificate) => ({
  id: row.id,
  deviceId: row.device_id,
  enrollmentGroupId: row.enrollment_group_id,
  authorityId: row.authority_id,
  state: row.state,
  serialNumber: row.serial_number,
  fingerprint: row.fingerprint.toString('hex'),
  tier: row.tier,
  notBefore: row.not_before.toISOString(),
  notAfter: row.not_after.toISOString(),
  issuedAt: row.issued_at.toISOString(),
  connectedAt: formatTimestamp(row.connected_at),
  supersededAt: formatTimestamp(row.superseded_at),
  revokedAt: formatTimestamp(row.revoked_at),
  revocationReason: row.revocation_reason,
})
