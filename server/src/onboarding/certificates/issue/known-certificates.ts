/** Reads the earlier certificates of the devices and keys of a batch of orders. */
import { type Kysely, sql } from 'kysely'
import { executePrepared, hidden } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import { sha256 } from '../key-algorithms.ts'
import type { CertificateOrder } from './sign-device-certificate.ts'

/** A certificate of the last day. */
export interface RecentCertificate {
  id: string
  tenantId: string
  deviceId: string
  requestFingerprint: Buffer | null
  groupId: string | null
  tier: number
  /** It is revoked, superseded or expired, or its authority is revoked. */
  isUnusable: boolean
  issuedAt: Date
  certificate: Buffer
}

/** How a key is used in valid certificates, or was in compromised ones. */
interface KnownKey {
  tenantId: string
  fingerprint: Buffer
  isCompromised: boolean
  /** Devices with a valid certificate of this key. */
  deviceIds: string[]
}

export interface KnownCertificates {
  listRecent(order: CertificateOrder): RecentCertificate[]
  findKey(order: CertificateOrder): KnownKey | undefined
}

/** One enrolment at a time for a device and for a key, on all nodes. @param tx a transaction */
export const lockOrders = (tx: Kysely<Tables>, orders: CertificateOrder[]) =>
  lockNames(tx, [
    ...orders.map(deviceKey),
    ...orders.map(({ tenantId, publicKey }) => nameKey({ tenantId, fingerprint: sha256(publicKey) })),
  ])

/** Waits for enrolments of the devices that are under way. @param tx a transaction */
export const lockDevices = (tx: Kysely<Tables>, devices: { tenantId: string; deviceId: string }[]) =>
  lockNames(tx, devices.map(deviceKey))

/** The locks are always taken in the same order, to avoid a deadlock. */
const lockNames = (tx: Kysely<Tables>, names: string[]) =>
  executePrepared(
    tx,
    'certificate-orders-lock',
    sql`select pg_advisory_xact_lock(hashtext('gangway enrolment'), lock.key)
    from (select distinct hashtext(name) as key from unnest(${hidden(names, 'text')}) as name order by 1) lock`,
  )

const deviceKey = ({ tenantId, deviceId }: { tenantId: string; deviceId: string }) =>
  `${tenantId} ${deviceId}`

const nameKey = ({ tenantId, fingerprint }: Pick<KnownKey, 'tenantId' | 'fingerprint'>) =>
  `${tenantId} key ${fingerprint.toString('hex')}`

export async function readKnownCertificates(
  tx: Kysely<Tables>,
  orders: CertificateOrder[],
): Promise<KnownCertificates> {
  const recent = new Map<string, RecentCertificate[]>()
  for (const certificate of await readRecent(tx, orders)) {
    const key = deviceKey(certificate)
    recent.set(key, [...(recent.get(key) ?? []), certificate])
  }
  const keys = new Map((await readKeys(tx, orders)).map((key) => [nameKey(key), key]))
  return {
    listRecent: (order) => recent.get(deviceKey(order)) ?? [],
    findKey: ({ tenantId, publicKey }) => keys.get(nameKey({ tenantId, fingerprint: sha256(publicKey) })),
  }
}

async function readRecent(tx: Kysely<Tables>, orders: CertificateOrder[]): Promise<RecentCertificate[]> {
  const { rows } = await sql<RecentCertificate>`
    select c.id, c.tenant_id as "tenantId", c.device_id as "deviceId", c.certificate, c.issued_at as "issuedAt",
      c.request_fingerprint as "requestFingerprint", c.enrollment_group_id as "groupId", c.tier,
      (c.revoked_at is not null or c.superseded_at is not null or c.not_after <= now() or a.status = 'revoked')
        as "isUnusable"
    from (select distinct * from unnest(${orders.map((order) => order.tenantId)}::text[],
      ${orders.map((order) => order.deviceId)}::text[]) as device (tenant_id, device_id)) device
    cross join lateral (
      select * from device_certificates c
      where c.tenant_id = device.tenant_id and c.device_id = device.device_id
        and c.issued_at > now() - interval '1 day'
      -- Keeps the subquery apart, so that it uses the index by device, also while the table has no statistics yet.
      offset 0
    ) c
    join certificate_authorities a on a.id = c.authority_id and a.tenant_id = c.tenant_id
    order by c.issued_at desc`.execute(tx)
  return rows
}

async function readKeys(tx: Kysely<Tables>, orders: CertificateOrder[]): Promise<KnownKey[]> {
  const { rows } = await sql<KnownKey>`
    select key.tenant_id as "tenantId", key.fingerprint, use."isCompromised", use."deviceIds"
    from (select distinct * from unnest(${orders.map((order) => order.tenantId)}::text[],
      ${orders.map((order) => sha256(order.publicKey))}::bytea[]) as key (tenant_id, fingerprint)) key
    cross join lateral (
      select coalesce(bool_or(revocation_reason = 'key_compromise'), false) as "isCompromised",
        coalesce(array_agg(distinct device_id) filter (where revoked_at is null and not_after > now()), '{}')
          as "deviceIds"
      from device_certificates
      where public_key_fingerprint = key.fingerprint and tenant_id = key.tenant_id
    ) use`.execute(tx)
  return rows
}
