import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { DeviceId, Nullable, Timestamp, formatTimestamp, Uuid } from '../../http/shapes.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import { provisionDevice } from './provision-device.ts'

const ProvisionDevice = Type.Object({ device_id: DeviceId, enrollment_group_id: Uuid })

/** [docs/onboarding#provisioning] */
const ProvisioningResult = Type.Object(
  {
    device_id: DeviceId,
    enrollment_group_id: Uuid,
    provider_client_created: Type.Boolean({
      description: 'Whether this call created the client; false if the provider had it already',
    }),
    enrollment_created: Type.Boolean({ description: 'Whether this call created the enrollment' }),
    provisioned_at: Nullable(Timestamp),
  },
  { title: 'ProvisioningResult' },
)

export const provisionRoutes = (ctx: Context, getProviderApi: GetProviderApi): Route[] => [
  route({
    method: 'POST',
    url: '/provision_device',
    operationId: 'provisionDevice',
    summary: 'Create a registered device at its provider; answers 200 if it is provisioned already',
    access: privilegeInRoot('provider_client_management'),
    body: ProvisionDevice,
    unknownFields: 'refuse',
    response: { 201: ProvisioningResult, 200: ProvisioningResult },
    refuses: [422],
    handler: async ({ body: { device_id, enrollment_group_id }, caller, request }) => {
      const { device, providerClientCreated, enrollmentCreated } = await provisionDevice(
        ctx,
        getProviderApi,
        {
          caller,
          address: request.ip,
          groupId: enrollment_group_id,
          deviceId: device_id,
        },
      )
      return answer(enrollmentCreated ? 201 : 200, {
        device_id: device.device_id,
        enrollment_group_id: device.enrollment_group_id,
        provider_client_created: providerClientCreated,
        enrollment_created: enrollmentCreated,
        provisioned_at: formatTimestamp(device.provisioned_at),
      })
    },
  }),
]
