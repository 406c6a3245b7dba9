import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import type { DeviceRow } from '../../database/tables/onboarding.ts'
import { getDevice, updateDeviceStatus } from '../devices/store.ts'
import { requireEnabled } from '../enrollment-groups/require-enabled.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'

export interface Provisioning {
  device: DeviceRow
  /** Whether this call created the client at the provider. */
  providerClientCreated: boolean
  /** Whether this call created the enrollment. */
  enrollmentCreated: boolean
}

/**
 * Creates the device's client at the provider, then sets the device to provisioned. An existing client is accepted, so
 * that a call that failed between the two steps can be repeated. [docs/onboarding#provisioning]
 * @throws not_found, device_not_registered, enrollment_group_disabled, provider_rejected, provider_unavailable
 */
export async function provisionDevice(
  ctx: Context,
  getProviderApi: GetProviderApi,
  { caller, groupId, deviceId }: { caller: Caller; groupId: string; deviceId: string },
): Promise<Provisioning> {
  const { tenantId } = caller
  const group = await getEnrollmentGroup(ctx.db, tenantId, groupId)
  requireEnabled(group.status)
  const device = await getDevice(ctx.db, tenantId, groupId, deviceId)
  if (device.status === 'provisioned')
    return { device, providerClientCreated: false, enrollmentCreated: false }

  const target = await getRoutingTarget(ctx.db, tenantId, group.routing_target_id)
  const { created } = await getProviderApi(target).createClient(deviceId, caller.requestId)
  const provisioned = await ctx.db
    .transaction()
    .execute((tx) => updateDeviceStatus(tx, caller, { groupId, deviceId, event: 'provision' }))
  return {
    // A concurrent call has provisioned the device, or the device was removed; then getDevice throws.
    device: provisioned ?? (await getDevice(ctx.db, tenantId, groupId, deviceId)),
    providerClientCreated: created,
    enrollmentCreated: provisioned !== undefined,
  }
}
