/** Adds devices to a group: the provider validates them, then they are registered. [docs/onboarding#device-states] */
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import type { ApiError } from '../../http/errors.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { GetProviderApi } from '../provider-api/create-provider-apis.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { DeviceRow } from '../../database/tables/onboarding.ts'
import { insertDevices, listRegisteredIds } from './store.ts'

export interface AddedDevices {
  added: DeviceRow[]
  /** By device id: why the provider refuses the device, or that the provider is unavailable. */
  refused: Map<string, ApiError>
}

/**
 * @param deviceIds without duplicates; devices that are in the group already stay unchanged
 * @throws not_found for the group
 */
export async function addDevices(
  ctx: Context,
  getProviderApi: GetProviderApi,
  { caller, groupId, deviceIds }: { caller: Caller; groupId: string; deviceIds: string[] },
): Promise<AddedDevices> {
  const { tenantId } = caller
  const group = await getEnrollmentGroup(ctx.db, tenantId, groupId)
  const registered = await listRegisteredIds(ctx.db, tenantId, groupId, deviceIds)
  const unknown = deviceIds.filter((id) => !registered.has(id))
  if (unknown.length === 0) return { added: [], refused: new Map() }

  const target = await getRoutingTarget(ctx.db, tenantId, group.routing_target_id)
  const verdicts = await getProviderApi(target).validate(unknown)
  const refused = new Map(
    unknown.flatMap((id, index) => (verdicts[index] ? [[id, verdicts[index]] as const] : [])),
  )
  const accepted = unknown.filter((id) => !refused.has(id))

  const added = await ctx.db.transaction().execute(async (tx) => {
    // The group may have been deleted during the validation. The lock keeps it until the devices are inserted.
    await getEnrollmentGroup(tx, tenantId, groupId, 'use')
    return insertDevices(tx, caller, groupId, accepted)
  })
  return { added, refused }
}
