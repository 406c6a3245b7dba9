/**
 * Revokes certificates of devices. In one transaction the certificates are marked, the revocation lists of their
 * authorities become outdated, webhooks are notified, and with its commit the sessions of the devices end on all nodes.
 */
import { type Kysely, sql } from 'kysely'
import { type Actor, recordAudits } from '../../../audit/record.ts'
import type { Context } from '../../../context.ts'
import type { Tables } from '../../../database/tables.ts'
import { actorName } from '../../../providers/clients/actor-name.ts'
import { enqueueCertificateEvents } from '../expiry/enqueue-certificate-events.ts'
import { deviceCertificateShape } from '../list/schema.ts'
import { listCertificatesById, type ListedCertificate } from '../list/store.ts'
import { lockDevices } from '../issue/known-certificates.ts'
import { certificateChanges } from './certificate-changes.ts'
import type { RevocationReason } from '../../../database/tables/certificates.ts'

/** The database has room for so many locks of one transaction. */
const MAX_LOCKED = 1000

export interface Revocation {
  deviceIds: string[]
  /** Undefined for all groups of the tenant. */
  groupId?: string
  /** Undefined for all certificates of the devices. */
  certificateId?: string | undefined
  reason: RevocationReason
}

/**
 * Certificates that are revoked already stay as they are.
 * @param tx a transaction
 * @returns the certificates that were revoked now
 */
export async function revokeCertificates(
  ctx: Pick<Context, 'nodes'>,
  tx: Kysely<Tables>,
  actor: Actor,
  { deviceIds, groupId, certificateId, reason }: Revocation,
): Promise<ListedCertificate[]> {
  // An enrolment that is under way ends first, so that its certificate is revoked, too.
  if (deviceIds.length <= MAX_LOCKED)
    await lockDevices(
      tx,
      deviceIds.map((deviceId) => ({ tenantId: actor.tenantId, deviceId })),
    )
  const revoked = await tx
    .updateTable('device_certificates')
    .set({ revoked_at: sql<Date>`now()`, revocation_reason: reason })
    .where('tenant_id', '=', actor.tenantId)
    .where('device_id', '=', sql<string>`any(${deviceIds}::text[])`)
    .$if(groupId !== undefined, (q) => q.where('enrollment_group_id', '=', groupId!))
    .$if(certificateId !== undefined, (q) => q.where('id', '=', certificateId!))
    .where('revoked_at', 'is', null)
    .returning(['id', 'authority_id', 'device_id'])
    .execute()
  if (revoked.length === 0) return []
  const rows = await announceRevoked(
    tx,
    actor,
    revoked.map(({ id }) => id),
  )
  await markListsOutdated(
    tx,
    actor.tenantId,
    revoked.map((row) => row.authority_id),
  )
  const message = `The certificate was revoked by ${await actorName(tx, actor)} (${reason}).`
  const affected = [...new Set(revoked.map((row) => row.device_id))]
  await certificateChanges.publish(ctx, tx, { deviceIds: affected, message })
  return rows
}

/** Records certificates that were just revoked in the audit log, and notifies webhooks. */
export async function announceRevoked(
  tx: Kysely<Tables>,
  actor: Actor,
  ids: string[],
): Promise<ListedCertificate[]> {
  const rows = await listCertificatesById(tx, actor.tenantId, ids)
  const entries = rows.map((row) => ({
    action: 'revoke',
    resourceType: 'device_certificate',
    resourceId: row.id,
    after: deviceCertificateShape(row),
  }))
  await recordAudits(tx, actor, entries)
  await enqueueCertificateEvents(tx, actor.tenantId, 'certificate.revoked', rows)
  return rows
}

/**
 * Always writes, also where a list is outdated already: the lock makes a list that is being made wait for this
 * transaction, or be made again.
 */
export async function markListsOutdated(
  tx: Kysely<Tables>,
  tenantId: string,
  authorityIds: string[],
): Promise<void> {
  await sql`
    update certificate_authorities set crl_outdated = true where id in (
      select id from certificate_authorities
      where tenant_id = ${tenantId} and id = any(${[...new Set(authorityIds)]}::uuid[])
      order by id for no key update)`.execute(tx)
}
