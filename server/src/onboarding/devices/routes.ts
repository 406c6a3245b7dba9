import type { Readable } from 'node:stream'
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isDeviceId, onboardingPage, OnboardingSearchQuery, pageRequest } from '../../http/page.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { DeviceId, Uuid } from '../../http/shapes.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import { addDevices } from './add-devices.ts'
import { bulkAdd } from './bulk/bulk-add.ts'
import { streamBulkResult } from './bulk/stream-bulk-result.ts'
import { MAX_BODY_BYTES } from './bulk/read-device-lines.ts'
import { removeDevice } from './remove-device.ts'
import { AddDevice, BulkResult, Device, DevicePage } from './schema.ts'
import { deviceShape, getDevice, listDevices } from './store.ts'

const access = privilegeInRoot('provider_client_management')
const params = Type.Object({ id: Uuid })

export const deviceRoutes = (ctx: Context, getProviderApi: GetProviderApi): Route[] => [
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/devices',
    operationId: 'addDevice',
    summary: 'Add a device to a group; answers 200 if the device is in the group already',
    access,
    params,
    body: AddDevice,
    response: { 201: Device, 200: Device },
    refuses: [422],
    handler: async ({ params: { id }, body: { device_id }, caller }) => {
      const { added, refused } = await addDevices(ctx, getProviderApi, {
        caller,
        groupId: id,
        deviceIds: [device_id],
      })
      const refusal = refused.get(device_id)
      if (refusal) throw refusal
      if (added[0]) return answer(201, deviceShape(added[0]))
      await ctx.settingsRecorder.flush()
      return answer(200, deviceShape(await getDevice(ctx.db, caller.tenantId, id, device_id)))
    },
  }),
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/devices/bulk',
    operationId: 'addDevices',
    summary: 'Add up to 10,000 devices, with one JSON object with `device_id` per line',
    access,
    params,
    rawBody: { as: 'stream', contentType: 'application/x-ndjson' },
    bodyLimit: MAX_BODY_BYTES,
    response: { 200: BulkResult },
    handler: async ({ params: { id }, body, caller }) => {
      // Fastify accepts a request without Content-Type and body, because there is nothing to parse.
      if (!body) throw new ApiError('unsupported_media_type', 'Send the devices as application/x-ndjson.')
      const result = await bulkAdd(ctx, getProviderApi, { caller, groupId: id, body: body as Readable })
      return answer(200, streamBulkResult(result), { 'content-type': 'application/json; charset=utf-8' })
    },
  }),
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}/devices',
    summary: 'List the devices of a group, including soft-deleted ones',
    access,
    params,
    query: OnboardingSearchQuery,
    response: { 200: DevicePage },
    handler: async ({ params: { id }, query, caller }) => {
      const page = pageRequest(query, isDeviceId)
      const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
      await ctx.settingsRecorder.flush()
      const rows = await listDevices(ctx.db, caller.tenantId, {
        groupId: group.id,
        search: query.search,
        page,
      })
      return onboardingPage({ rows, limit: page.limit, key: (row) => row.device_id, shape: deviceShape })
    },
  }),
  route({
    method: 'DELETE',
    url: '/api/enrollment-groups/{id}/devices/{deviceId}',
    operationId: 'removeDevice',
    summary: 'Remove a device from a group and revoke its certificates; its client at the provider stays',
    access,
    params: Type.Object({ id: Uuid, deviceId: DeviceId }),
    response: { 204: null },
    handler: async ({ params: { id, deviceId }, caller }) => {
      const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
      await removeDevice(ctx, caller, group.id, deviceId)
    },
  }),
]
