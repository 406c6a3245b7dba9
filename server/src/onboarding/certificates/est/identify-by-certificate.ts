/** Identifies a device by its client certificate: one that was issued here, or that of its manufacturer (tier 3). */
import { type AttemptTrail, startAttempt } from '../../trace/start-attempt.ts'
import { sha256 } from '../key-algorithms.ts'
import { findDeviceCertificate, type FoundCertificate } from '../store.ts'
import { type EnrollingDevice, notRegistered, refuse } from './enrolling-device.ts'
import { type FindEnrollingGroup, listGroupsOfDevice } from './find-group.ts'
import { identifyByManufacturer, type ManufacturerParts, type Presented } from './identify-by-manufacturer.ts'
import { requireEnrollment } from './require-enrollment.ts'

const DAY_MS = 24 * 3600 * 1000

export interface CertificateParts extends ManufacturerParts {
  findGroup: FindEnrollingGroup
}

/** @throws unauthorized, forbidden, enrollment_group_disabled, rate_limited */
export async function identifyByCertificate(
  parts: CertificateParts,
  presented: Presented,
): Promise<EnrollingDevice> {
  const row = await findDeviceCertificate(parts.db, sha256(presented.peer.leaf))
  return row ? identifyByOwn(parts, presented, row) : identifyByManufacturer(parts, presented)
}

async function identifyByOwn(
  { db, attempts, findGroup }: CertificateParts,
  { groupId, address }: Presented,
  row: FoundCertificate,
): Promise<EnrollingDevice> {
  const { device_id: deviceId, tenant_id: tenantId, enrollment_group_id: ownGroupId } = row
  const trail = startAttempt(attempts, { kind: 'certificate', deviceId, address })
  trail.assign({ tenantId, groupId: ownGroupId ?? undefined })
  const group = ownGroupId ? await findGroup(ownGroupId) : undefined
  const registered = group ? await listGroupsOfDevice(db, deviceId, [group.id]) : []
  if (!group || registered.length === 0) throw notRegistered(trail, deviceId)
  const settings = requireEnrollment(trail, group, { pathGroupId: groupId, tier: row.tier })
  const isExpired = requireUsable(trail, row, settings.renewal_grace_days)
  const identity = { deviceId, tenantId, groupId: group.id, tier: row.tier, presentedId: row.id, keyId: null }
  return { ...identity, settings, isExpired, trail }
}

/** @returns whether the certificate has expired, and may still renew */
function requireUsable(trail: AttemptTrail, row: FoundCertificate, graceDays: number): boolean {
  const now = Date.now()
  const forbid = (step: Parameters<typeof refuse>[1]['step'], message: string) =>
    refuse(trail, {
      code: 'forbidden',
      step,
      message: `${message} Enrol again with simpleenroll and other credentials.`,
    })
  if (row.revoked_at) throw forbid('certificate_revoked', 'The client certificate was revoked.')
  if (row.authority_status === 'revoked')
    throw forbid('certificate_authority_revoked', 'The authority of the client certificate was revoked.')
  if (row.superseded_at)
    throw forbid('certificate_superseded', 'A newer certificate of the device has connected since.')
  const endMs = row.not_after.getTime()
  if (now > endMs + graceDays * DAY_MS)
    throw forbid(
      'certificate_expired',
      `The client certificate has expired on ${row.not_after.toISOString()}.`,
    )
  if (now > endMs) trail.step('certificate_expired_may_renew')
  else trail.step('certificate_accepted')
  return now > endMs
}
