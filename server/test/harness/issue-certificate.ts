import type { DeviceCertificateRow } from '../../src/database/tables/certificates.ts'
import { revocationListUrl } from '../../src/onboarding/certificates/crl-address.ts'
import type { IssuerParts } from '../../src/onboarding/certificates/issue/issue-certificates.ts'
import {
  type CertificateOrder,
  signDeviceCertificate,
} from '../../src/onboarding/certificates/issue/sign-device-certificate.ts'

/** Issues a certificate to a device, whether the device exists, and its group issues certificates, or not. */
export async function issueCertificate(
  ctx: IssuerParts,
  order: Omit<CertificateOrder, 'keyId' | 'presentedId'>,
): Promise<DeviceCertificateRow> {
  const authority = await ctx.authorities.getIssuing(order.tenantId)
  const crlUrl = revocationListUrl(ctx, authority)
  const signed = await signDeviceCertificate(authority, { ...order, keyId: null, presentedId: null }, crlUrl)
  return ctx.db.insertInto('device_certificates').values(signed).returningAll().executeTakeFirstOrThrow()
}
