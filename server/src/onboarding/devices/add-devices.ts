/** [docs/onboarding#device-states] Devices are validated against the provider, then registered. */
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import type { ApiError } from '../../http/errors.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import type { ProviderApiOf } from '../provider-api/of-target.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import type { DeviceRow } from '../../database/tables/onboarding.ts'
import { insertDevices, listRegisteredIds } from './store.ts'

export interface AddedDevices {
  added: DeviceRow[]
  /** Why the provider does not take a device, or that it could not be asked. */
  refused: Map<string, ApiError>
}

/**
 * @param deviceIds each once; those that the group has already are left as they are
 * @throws not_found for the group
 */
export async function addDevices(
  ctx: Context,
  providerOf: ProviderApiOf,
  { caller, groupId, deviceIds }: { caller: Caller; groupId: string; deviceIds: string[] },
): Promise<AddedDevices> {
  const { tenantId } = caller
  const group = await getEnrollmentGroup(ctx.db, tenantId, groupId)
  const registered = await listRegisteredIds(ctx.db, tenantId, groupId, deviceIds)
  const unknown = deviceIds.filter((id) => !registered.has(id))
  if (unknown.length === 0) return { added: [], refused: new Map() }

  const target = await getRoutingTarget(ctx.db, tenantId, group.routing_target_id)
  const verdicts = await providerOf(target).validate(unknown)
  const refused = new Map(
    unknown.flatMap((id, index) => (verdicts[index] ? [[id, verdicts[index]] as const] : [])),
  )
  const accepted = unknown.filter((id) => !refused.has(id))

  const added = await ctx.db.transaction().execute(async (tx) => {
    // The validations took their time; the group must still be there, and stay until the devices are in it.
    await getEnrollmentGroup(tx, tenantId, groupId, 'use')
    return insertDevices(tx, caller, groupId, accepted)
  })
  return { added, refused }
}
