import { type Expression, type Kysely, sql, type SqlBool } from 'kysely'
import { pageAfter } from '../../../database/page.ts'
import type { Tables } from '../../../database/tables.ts'
import { orNotFound } from '../../../http/errors.ts'
import type { PageRequest } from '../../../http/page.ts'
import { type CertificateState, certificateState } from './states.ts'

export type ListedCertificate = Awaited<ReturnType<typeof listDeviceCertificates>>[number]

const selectCertificates = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('device_certificates as certificate')
    .innerJoin('certificate_authorities as authority', 'authority.id', 'certificate.authority_id')
    .select([
      'certificate.id',
      'certificate.device_id',
      'certificate.enrollment_group_id',
      'certificate.authority_id',
      'certificate.serial_number',
      'certificate.fingerprint',
      'certificate.tier',
      'certificate.not_before',
      'certificate.not_after',
      'certificate.issued_at',
      'certificate.connected_at',
      'certificate.superseded_at',
      'certificate.revoked_at',
      'certificate.revocation_reason',
      certificateState.as('state'),
    ])
    .where('certificate.tenant_id', '=', tenantId)

/** The newest first. Returns one row more than the page's limit if there are more. */
export const listDeviceCertificates = (
  db: Kysely<Tables>,
  device: { tenantId: string; groupId: string; deviceId: string },
  page: PageRequest,
) =>
  pageAfter(
    selectCertificates(db, device.tenantId)
      .where('certificate.enrollment_group_id', '=', device.groupId)
      .where('certificate.device_id', '=', device.deviceId),
    'certificate.id',
    page,
    'desc',
  )

/** In any order. */
export const listCertificatesById = (
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
): Promise<ListedCertificate[]> =>
  selectCertificates(db, tenantId)
    .where('certificate.id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()

/** A device without a client is visible only to those who see all clients of the tenant. */
const selectVisible = (db: Kysely<Tables>, tenantId: string, visible: Expression<SqlBool>) =>
  selectCertificates(db, tenantId)
    .leftJoin('provider_clients as client', (join) =>
      join
        .onRef('client.id', '=', 'certificate.device_id')
        .onRef('client.tenant_id', '=', 'certificate.tenant_id')
        .on('client.on_broker', '=', true),
    )
    .where(visible)

export interface CertificateFilter {
  expiresBefore?: Date | undefined
  deviceId?: string | undefined
  state?: CertificateState | undefined
}

/** @param visible limits the client. Returns one row more than the page's limit if there are more. */
export const listCertificates = (
  db: Kysely<Tables>,
  tenantId: string,
  {
    visible,
    filter: { expiresBefore, deviceId, state },
    page,
  }: { visible: Expression<SqlBool>; filter: CertificateFilter; page: PageRequest },
): Promise<ListedCertificate[]> =>
  pageAfter(
    selectVisible(db, tenantId, visible)
      .$if(expiresBefore !== undefined, (q) => q.where('certificate.not_after', '<', expiresBefore!))
      .$if(deviceId !== undefined, (q) => q.where('certificate.device_id', '=', deviceId!))
      .$if(state !== undefined, (q) => q.where(certificateState, '=', state!)),
    'certificate.id',
    page,
  )

/** @returns DER @throws not_found */
export async function getCertificate(
  db: Kysely<Tables>,
  tenantId: string,
  { visible, id }: { visible: Expression<SqlBool>; id: string },
) {
  const row = await selectVisible(db, tenantId, visible)
    .select('certificate.certificate')
    .where('certificate.id', '=', id)
    .executeTakeFirst()
  return orNotFound(row, 'certificate', id)
}

export interface WeekForecast {
  from: Date
  to: Date
  expiring: number
}

/** Counts certificates that can be used and expire, in each week from Monday, UTC; the first week is the present one. */
export async function forecastExpiry(
  db: Kysely<Tables>,
  tenantId: string,
  { visible, weeks }: { visible: Expression<SqlBool>; weeks: number },
): Promise<WeekForecast[]> {
  const expiring = selectVisible(db, tenantId, visible)
    .clearSelect()
    .select('certificate.not_after')
    .where(certificateState, 'in', ['issued', 'active'])
  const { rows } = await sql<WeekForecast>`
    with week as (
      select (start at time zone 'UTC') as "from", ((start + interval '7 days') at time zone 'UTC') as "to"
      from generate_series(0, ${weeks - 1}::int) as number,
        lateral (select date_trunc('week', now() at time zone 'UTC') + number * interval '7 days' as start)
    ), expiring as (${expiring})
    select week."from", week."to", count(expiring.not_after)::int as expiring
    from week left join expiring on expiring.not_after >= week."from" and expiring.not_after < week."to"
    group by week."from", week."to" order by week."from"`.execute(db)
  return rows
}
