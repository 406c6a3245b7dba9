import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import type { DeviceRow } from '../../database/tables/onboarding.ts'
import { getDevice, updateDeviceStatus } from '../devices/store.ts'
import { requireEnabled } from '../enrollment-groups/require-enabled.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import { endWithError } from '../trace/end-with-error.ts'
import { type AttemptTrail, startAttempt } from '../trace/start-attempt.ts'

export interface Provisioning {
  device: DeviceRow
  /** Whether this call created the client at the provider. */
  providerClientCreated: boolean
  /** Whether this call created the enrollment. */
  enrollmentCreated: boolean
}

interface ProvisionRequest {
  caller: Caller
  /** The address of the caller, for the trace. */
  address: string
  groupId: string
  deviceId: string
}

/**
 * Creates the device's client at the provider, then sets the device to provisioned. An existing client is accepted, so
 * that a call that failed between the two steps can be repeated. [docs/onboarding#provisioning]
 * @throws not_found, device_not_registered, enrollment_group_disabled, provider_rejected, provider_unavailable
 */
export async function provisionDevice(
  ctx: Context,
  getProviderApi: GetProviderApi,
  { caller, address, groupId, deviceId }: ProvisionRequest,
): Promise<Provisioning> {
  const trail = startAttempt(ctx.attempts, { kind: 'provisioning', deviceId, address })
  trail.assign({ tenantId: caller.tenantId, groupId })
  try {
    const provisioning = await provision(ctx, getProviderApi, { caller, groupId, deviceId, trail })
    trail.end('succeeded', provisioning.enrollmentCreated ? 'enrollment_created' : 'already_provisioned')
    return provisioning
  } catch (error) {
    endWithError(trail, error)
    throw error
  }
}

async function provision(
  ctx: Context,
  getProviderApi: GetProviderApi,
  { caller, groupId, deviceId, trail }: Omit<ProvisionRequest, 'address'> & { trail: AttemptTrail },
): Promise<Provisioning> {
  const { tenantId } = caller
  const group = await getEnrollmentGroup(ctx.db, tenantId, groupId)
  requireEnabled(group.status)
  trail.step('group_enabled')
  const device = await getDevice(ctx.db, tenantId, groupId, deviceId)
  trail.step('device_registered')
  if (device.status === 'provisioned')
    return { device, providerClientCreated: false, enrollmentCreated: false }

  const target = await getRoutingTarget(ctx.db, tenantId, group.routing_target_id)
  const { created } = await getProviderApi(target).createClient(deviceId, caller.requestId)
  trail.step(created ? 'client_created' : 'client_existed')
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
