import Type from 'typebox'
import type { Context } from '../../../context.ts'
import { privilegeInRoot } from '../../../http/access.ts'
import { notFound } from '../../../http/errors.ts'
import { route, type Route } from '../../../http/route.ts'
import { DeviceId, Uuid } from '../../../http/shapes.ts'
import { AuthorityRecord, authorityShape } from '../authorities/schema.ts'
import { getDevice } from '../../devices/store.ts'
import { getEnrollmentGroup } from '../../enrollment-groups/store.ts'
import { DeviceCertificate, deviceCertificateShape } from '../list/schema.ts'
import type { RevocationReason } from '../../../database/tables/certificates.ts'
import { revocationReasons } from './reasons.ts'
import { revokeAuthority } from './revoke-authority.ts'
import { revokeCertificates } from './revoke-certificates.ts'

const access = privilegeInRoot('provider_client_management')

/** An authority has this reason, and no device. */
const ofAuthorities: RevocationReason = 'ca_compromise'
const Reason = (reasons: readonly RevocationReason[]) =>
  Type.Optional(Type.Enum([...reasons], { description: 'Why; it is on the revocation list' }))

const RevokeCertificates = Type.Object({
  certificate_id: Type.Optional({ ...Uuid, description: 'One certificate of the device; default: all' }),
  reason: Reason(revocationReasons.filter((reason) => reason !== ofAuthorities)),
})
const RevokeAuthority = Type.Object({ reason: Reason(revocationReasons) })
const Revoked = Type.Object(
  { revoked: Type.Array(DeviceCertificate, { description: 'Those that were not revoked before' }) },
  { title: 'RevokedCertificates' },
)

export const revocationRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/devices/{deviceId}/certificates/revoke',
    operationId: 'revokeDeviceCertificates',
    summary: 'Revoke all certificates of a device, or one; sessions that signed in with them end at once',
    access,
    params: Type.Object({ id: Uuid, deviceId: DeviceId }),
    body: Type.Optional(RevokeCertificates),
    response: { 200: Revoked },
    handler: async ({ params: { id, deviceId }, body, caller }) => {
      const { certificate_id: certificateId, reason = 'unspecified' } = body ?? {}
      const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
      const device = { tenantId: caller.tenantId, groupId: group.id, deviceId }
      const rows = await ctx.db.transaction().execute(async (tx) => {
        await requireCertificate(tx, device, certificateId)
        return revokeCertificates(ctx, tx, caller, {
          deviceIds: [deviceId],
          groupId: group.id,
          certificateId,
          reason,
        })
      })
      return { revoked: rows.map(deviceCertificateShape) }
    },
  }),
  route({
    method: 'POST',
    url: '/v1/certificate-authorities/{authorityId}/revoke',
    operationId: 'revokeCertificateAuthority',
    summary:
      'Revoke an issuing authority with all its certificates; sessions that signed in with them end at once',
    access,
    params: Type.Object({ authorityId: Uuid }),
    body: Type.Optional(RevokeAuthority),
    response: { 200: AuthorityRecord },
    handler: async ({ params: { authorityId: id }, body, caller }) =>
      authorityShape(await revokeAuthority(ctx, caller, { id, reason: body?.reason ?? ofAuthorities })),
  }),
]

/** A device that never had a certificate is not found, unless it is in the group. @throws not_found, device_not_registered */
async function requireCertificate(
  tx: Context['db'],
  { tenantId, groupId, deviceId }: { tenantId: string; groupId: string; deviceId: string },
  certificateId: string | undefined,
): Promise<void> {
  const row = await tx
    .selectFrom('device_certificates')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('enrollment_group_id', '=', groupId)
    .where('device_id', '=', deviceId)
    .$if(certificateId !== undefined, (q) => q.where('id', '=', certificateId!))
    .limit(1)
    .executeTakeFirst()
  if (row) return
  if (certificateId !== undefined) throw notFound('certificate of the device', certificateId)
  await getDevice(tx, tenantId, groupId, deviceId)
}
