/**
 * Announces certificates that expire soon, once each: when a sixth of their life is left. A device renews earlier, so an
 * event means that it did not. [docs/certificates#events]
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Tables } from '../../../database/tables.ts'
import { listCertificatesById } from '../list/store.ts'
import { enqueueCertificateEvents } from './enqueue-certificate-events.ts'

const AT_ONCE = 500

export async function announceExpiring({ db }: Pick<Context, 'db'>): Promise<void> {
  for (let found = AT_ONCE; found === AT_ONCE;)
    found = await db.transaction().execute(async (tx) => {
      const due = await markDue(tx)
      const announced = due.filter(({ is_newest }) => is_newest)
      for (const tenantId of new Set(announced.map((row) => row.tenant_id))) {
        const ids = announced.filter((row) => row.tenant_id === tenantId).map((row) => row.id)
        const certificates = await listCertificatesById(tx, tenantId, ids)
        await enqueueCertificateEvents(tx, tenantId, 'certificate.expiring', certificates)
      }
      return due.length
    })
}

interface Due {
  id: string
  tenant_id: string
  /** Whether the device has no newer certificate, which will be announced by itself. */
  is_newest: boolean
}

/** Other nodes may do the same: each certificate is marked by one of them. */
async function markDue(tx: Kysely<Tables>): Promise<Due[]> {
  const { rows } = await sql<Due>`
    update device_certificates as certificate set expiry_announced_at = now()
    where certificate.id in (
      select id from device_certificates
      where expiry_announced_at is null and superseded_at is null and revoked_at is null
        and (not_after at time zone 'UTC') - (not_after - not_before) / 6 <= now() at time zone 'UTC'
      order by (not_after at time zone 'UTC') - (not_after - not_before) / 6
      limit ${AT_ONCE} for no key update skip locked)
    returning certificate.id, certificate.tenant_id, certificate.not_after > now() and not exists (
      select from device_certificates as newer
      where newer.tenant_id = certificate.tenant_id and newer.device_id = certificate.device_id
        and newer.issued_at > certificate.issued_at and newer.revoked_at is null) as is_newest`.execute(tx)
  return rows
}
