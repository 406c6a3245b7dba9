import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { onboardingPage, pageRequest } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { DeviceId, Uuid } from '../../http/shapes.ts'
import { requireDeviceRecord } from '../devices/store.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import { attemptKey, isAttemptKey, listAttempts, listAttemptsOfDevice, listOwners } from './list-attempts.ts'
import { AttemptPage, AttemptQuery, attemptShape, DeviceTrace } from './schema.ts'

const access = privilegeInRoot('provider_client_management')

/** Attempts of this node are written before they are read. [docs/onboarding#decision-trace] */
export const traceRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}/devices/{deviceId}/trace',
    operationId: 'getDeviceTrace',
    summary: 'List the last attempts of a device to come up, with their steps and what to do',
    access,
    params: Type.Object({ id: Uuid, deviceId: DeviceId }),
    response: { 200: DeviceTrace },
    handler: async ({ params: { id, deviceId }, caller }) => {
      const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
      await requireDeviceRecord(ctx.db, caller.tenantId, group.id, deviceId)
      await ctx.attempts.flush()
      const owners = await listOwners(ctx, caller)
      const rows = await listAttemptsOfDevice(ctx.db, owners, { groupId: group.id, deviceId })
      return { device_id: deviceId, enrollment_group_id: group.id, items: rows.map(attemptShape) }
    },
  }),
  route({
    method: 'GET',
    url: '/api/onboarding/attempts',
    operationId: 'listOnboardingAttempts',
    summary: 'List attempts of all devices, newest first, also with ids that no group has',
    access,
    query: AttemptQuery,
    response: { 200: AttemptPage },
    handler: async ({ query: { limit, cursor, ...filter }, caller }) => {
      const page = pageRequest({ limit, ...(cursor !== undefined && { cursor }) }, isAttemptKey)
      await ctx.attempts.flush()
      const owners = await listOwners(ctx, caller)
      const rows = await listAttempts(ctx.db, owners, { ...filter, page })
      return onboardingPage({ rows, limit, key: attemptKey, shape: attemptShape })
    },
  }),
]
