import { type Kysely, sql } from 'kysely'
import { executePrepared, hidden } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import type { CertificateOrder } from './sign-device-certificate.ts'

/**
 * Finds the orders whose devices may still have a certificate. A device is identified before it sends its request, which can
 * take a minute; meanwhile it may be removed, its credentials revoked or its group changed.
 * @param tx a transaction that has locked the devices
 * @returns the indexes of these orders
 */
export async function findEntitled(tx: Kysely<Tables>, orders: CertificateOrder[]): Promise<Set<number>> {
  const column = <K extends keyof CertificateOrder>(name: K) => orders.map((order) => order[name])
  const statement = sql<{ place: number }>`
    select o.place::int from unnest(${hidden(column('tenantId'), 'text')}, ${column('groupId')}::uuid[],
      ${column('deviceId')}::text[], ${column('tier')}::int[], ${column('keyId')}::uuid[],
      ${column('presentedId')}::uuid[]) with ordinality as o (tenant_id, group_id, device_id, tier, key_id, presented_id, place)
    -- "offset 0" makes the rows of each order be found by their keys, also while the tables have no statistics yet.
    cross join lateral (
      select from enrollment_groups g
      join certificate_settings s on s.enrollment_group_id = g.id and s.enabled and o.tier >= s.minimum_tier
      join onboarding_devices d on d.enrollment_group_id = o.group_id and d.device_id = o.device_id
        and d.status <> 'deleted'
      where g.id = o.group_id and g.tenant_id = o.tenant_id and g.status = 'enabled'
        and (o.key_id is null or ((o.key_id = g.primary_key_id or o.key_id = g.secondary_key_id)
          and (o.tier > 1 or g.key_policy = 'any')))
      offset 0
    ) entitlement
    where o.presented_id is null or exists (
      select from device_certificates p join certificate_authorities a on a.id = p.authority_id
      -- Not "=", which would let the planner read all certificates of the tenant.
      where p.id = o.presented_id and p.tenant_id is not distinct from o.tenant_id
        and p.revoked_at is null and p.superseded_at is null and a.status <> 'revoked')`
  const { rows } = await executePrepared(tx, 'certificate-orders-entitled', statement)
  return new Set(rows.map(({ place }) => place - 1))
}
