/** Certificates with which devices sign in, by their fingerprint, each with the account that it names. */
import type { AuthorityRow } from '../../database/tables/certificates.ts'
import { deviceTables, readDevice } from '../../ingest/device-rows.ts'
import { coalesce } from '../../lib/coalesce.ts'
import { type Account, accountColumns, type AccountParts, type AccountRow } from './accounts.ts'

export interface Certificate {
  id: string
  fingerprint: Buffer
  tenantId: string
  groupId: string | null
  deviceId: string
  authorityId: string
  authorityStatus: AuthorityRow['status']
  notBefore: Date
  notAfter: Date
  /** The first connection with it. */
  connectedAt: Date | null
  supersededAt: Date | null
  revokedAt: Date | null
  revocationReason: string | null
  /** How long the device may renew it after its end. */
  renewalGraceDays: number
  /** Whether the device is still in its enrollment group. */
  isRegistered: boolean
  /** The client on the broker with the id of the device, of whichever tenant. */
  account: Account | undefined
}

export type LoadCertificate = (fingerprint: Buffer) => Promise<Certificate | undefined>

/** All devices of a reconnect storm are looked up in a few queries. [docs/certificates#mqtt] */
export const createCertificateLoader = (parts: AccountParts): LoadCertificate =>
  coalesce(
    async (fingerprints: Buffer[]) => {
      const found = await findCertificates(parts, fingerprints)
      return fingerprints.map((fingerprint) => found.get(fingerprint.toString('hex')))
    },
    { maxBatch: 500, concurrency: 2 },
  )

type Row = Omit<Certificate, 'account'> & { account: AccountRow | null }

/** @returns by fingerprint in hexadecimal digits */
export async function findCertificates(
  parts: AccountParts,
  fingerprints: Buffer[],
): Promise<Map<string, Certificate>> {
  const { rows } = await parts.pool.query<Row>({
    name: 'mqtt-certificates',
    text: `
      select certificate.id, certificate.fingerprint, certificate.tenant_id as "tenantId",
        certificate.enrollment_group_id as "groupId", certificate.device_id as "deviceId",
        certificate.authority_id as "authorityId", authority.status as "authorityStatus",
        certificate.not_before as "notBefore", certificate.not_after as "notAfter",
        certificate.connected_at as "connectedAt", certificate.superseded_at as "supersededAt",
        certificate.revoked_at as "revokedAt", certificate.revocation_reason as "revocationReason",
        coalesce(settings.renewal_grace_days, 0) as "renewalGraceDays",
        device.device_id is not null as "isRegistered", to_json(account) as account
      from device_certificates as certificate
      join certificate_authorities as authority on authority.id = certificate.authority_id
      left join certificate_settings as settings using (enrollment_group_id)
      left join onboarding_devices as device on device.enrollment_group_id = certificate.enrollment_group_id
        and device.device_id = certificate.device_id and device.status <> 'deleted'
      left join lateral (
        select ${accountColumns} from ${deviceTables} where client.on_broker and client.id = certificate.device_id
      ) as account on true
      where certificate.fingerprint = any($1)`,
    values: [fingerprints],
  })
  return new Map(
    rows.map(({ account, ...row }) => [
      row.fingerprint.toString('hex'),
      { ...row, account: account ? readDevice(parts, account) : undefined },
    ]),
  )
}
