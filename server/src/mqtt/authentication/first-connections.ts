/**
 * Records the first connection with a certificate: from then on, older certificates of the device no longer connect. A
 * certificate that has connected before costs no write. [docs/certificates#renewal]
 */
import type { Pool } from 'pg'
import { coalesce } from '../../lib/coalesce.ts'

export type RecordFirstConnection = (certificateId: string) => Promise<void>

export const createFirstConnections = ({ pool }: { pool: Pool }): RecordFirstConnection =>
  coalesce(
    async (ids: string[]) => {
      await pool.query({ name: 'mqtt-first-connections', text: updateCertificates, values: [ids] })
      return ids.map(() => undefined)
    },
    { maxBatch: 500, concurrency: 1 },
  )

/** All certificates of the devices are locked in the order of their ids, which avoids a deadlock between two nodes. */
const updateCertificates = `
  with locked as materialized (
    select id, tenant_id, device_id, issued_at, connected_at, superseded_at from device_certificates
    where (tenant_id, device_id) in (
      select tenant_id, device_id from device_certificates where id = any($1::uuid[])
    )
    order by id for update
  ), newest as (
    select tenant_id, device_id, max(issued_at) as issued_at from locked where id = any($1::uuid[])
    group by tenant_id, device_id
  )
  update device_certificates as certificate
  set connected_at = case when certificate.id = any($1::uuid[]) then coalesce(certificate.connected_at, now())
      else certificate.connected_at end,
    superseded_at = case when locked.issued_at < newest.issued_at then coalesce(certificate.superseded_at, now())
      else certificate.superseded_at end
  from locked join newest using (tenant_id, device_id)
  where certificate.id = locked.id and (
    (certificate.id = any($1::uuid[]) and locked.connected_at is null)
    or (locked.issued_at < newest.issued_at and locked.superseded_at is null))`
