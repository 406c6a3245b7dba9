import Type from 'typebox'
import { visibleTo } from '../../../access/decisions/visible-to.ts'
import { findCallerReach } from '../../../access/require.ts'
import type { Context } from '../../../context.ts'
import { type Caller, privilegeInRoot, visible } from '../../../http/access.ts'
import {
  isUuid,
  onboardingPage,
  OnboardingPageQuery,
  pageRequest,
  platformPage,
  PlatformPageQuery,
} from '../../../http/page.ts'
import { answer, route, type Route } from '../../../http/route.ts'
import { DeviceId, Timestamp, Uuid } from '../../../http/shapes.ts'
import { getEnrollmentGroup } from '../../enrollment-groups/store.ts'
import { toPem } from '../pem.ts'
import {
  CertificateRecord,
  certificateShape,
  DeviceCertificatePage,
  deviceCertificateShape,
  ForecastWeek,
} from './schema.ts'
import { certificateStates } from './states.ts'
import { forecastExpiry, getCertificate, listCertificates, listDeviceCertificates } from './store.ts'

const CertificatePath = Type.Object({ certificateId: Uuid })
const MAX_WEEKS = 520
const PEM = 'application/x-pem-file'

export function certificateListRoutes(ctx: Context): Route[] {
  const findVisible = async (caller: Caller) =>
    visibleTo(await findCallerReach(ctx, caller, 'provider_client'), {
      id: 'client.id',
      organization: 'client.organization_id',
    })
  return [
    route({
      method: 'GET',
      url: '/api/enrollment-groups/{id}/devices/{deviceId}/certificates',
      operationId: 'listDeviceCertificates',
      summary: 'List the certificates of a device, the newest first, also of one that was removed',
      access: privilegeInRoot('provider_client_management'),
      params: Type.Object({ id: Uuid, deviceId: DeviceId }),
      query: OnboardingPageQuery,
      response: { 200: DeviceCertificatePage },
      handler: async ({ params: { id, deviceId }, query, caller }) => {
        const page = pageRequest(query, isUuid)
        const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
        const device = { tenantId: caller.tenantId, groupId: group.id, deviceId }
        const rows = await listDeviceCertificates(ctx.db, device, page)
        return onboardingPage({ rows, limit: page.limit, shape: deviceCertificateShape })
      },
    }),
    route({
      method: 'GET',
      url: '/v1/certificates',
      summary: 'List the certificates of devices, of all groups',
      access: visible('provider_client'),
      query: Type.Object({
        ...PlatformPageQuery.properties,
        expiresBefore: Type.Optional({ ...Timestamp, description: 'Only certificates that end before' }),
        deviceId: Type.Optional(DeviceId),
        state: Type.Optional(
          Type.Enum([...certificateStates], { description: 'Only certificates in this state' }),
        ),
      }),
      response: { 200: Type.Array(CertificateRecord) },
      handler: async ({ query: { expiresBefore, deviceId, state, ...paging }, caller, request }) => {
        const page = pageRequest(paging, isUuid)
        const rows = await listCertificates(ctx.db, caller.tenantId, {
          visible: await findVisible(caller),
          filter: { expiresBefore: expiresBefore ? new Date(expiresBefore) : undefined, deviceId, state },
          page,
        })
        return platformPage({ rows, limit: page.limit, shape: certificateShape, request })
      },
    }),
    route({
      method: 'GET',
      url: '/v1/certificates/forecast',
      operationId: 'forecastCertificates',
      summary: 'Count the certificates that expire in each of the coming weeks',
      access: visible('provider_client'),
      query: Type.Object({
        weeks: Type.Integer({
          minimum: 1,
          maximum: MAX_WEEKS,
          default: 26,
          description: 'From the present week, which begins on Monday in UTC',
        }),
      }),
      response: { 200: Type.Array(ForecastWeek) },
      handler: async ({ query: { weeks }, caller }) => {
        const found = await forecastExpiry(ctx.db, caller.tenantId, {
          visible: await findVisible(caller),
          weeks,
        })
        return found.map(({ from, to, expiring }) => ({
          from: from.toISOString(),
          to: to.toISOString(),
          expiring,
        }))
      },
    }),
    route({
      method: 'GET',
      url: '/v1/certificates/{certificateId}',
      summary: 'Get a certificate of a device',
      access: visible('provider_client'),
      params: CertificatePath,
      response: { 200: CertificateRecord },
      handler: async ({ params: { certificateId: id }, caller }) =>
        certificateShape(
          await getCertificate(ctx.db, caller.tenantId, { visible: await findVisible(caller), id }),
        ),
    }),
    route({
      method: 'GET',
      url: '/v1/certificates/{certificateId}/pem',
      operationId: 'getCertificatePem',
      summary: 'Get a certificate of a device in PEM',
      access: visible('provider_client'),
      params: CertificatePath,
      response: { 200: Type.String() },
      produces: PEM,
      handler: async ({ params: { certificateId: id }, caller }) => {
        const row = await getCertificate(ctx.db, caller.tenantId, { visible: await findVisible(caller), id })
        return answer(200, toPem(row.certificate), { 'content-type': PEM })
      },
    }),
  ]
}
