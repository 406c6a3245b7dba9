import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { revokeCertificates } from '../certificates/revocation/revoke-certificates.ts'
import { updateDeviceStatus } from '../devices/store.ts'
import type { ProviderEvent } from './read-event.ts'
import type { SigningTarget } from './verify-signature.ts'

export type Outcome = 'deleted' | 'nothing_to_do' | 'repeated'

/**
 * Applies device.deleted: soft-deletes the device in the groups that use the routing target, and revokes its certificates. Each event is applied once.
 * An event that is older than the device's registration is ignored, so that a replay cannot delete a device that was
 * added again. [docs/onboarding#provider-events]
 */
export const applyDeviceDeleted = (
  ctx: Pick<Context, 'db' | 'nodes'>,
  target: SigningTarget,
  event: ProviderEvent,
): Promise<Outcome> =>
  ctx.db.transaction().execute(async (tx) => {
    if (!(await insertProviderEvent(tx, target, event))) return 'repeated'
    const groupIds = await listGroupsWithDevice(tx, target, event)
    const actor = { tenantId: target.tenantId, system: `provider event ${event.id}` }
    let deleted = false
    for (const groupId of groupIds) {
      const { deviceId } = event
      if (!(await updateDeviceStatus(tx, actor, { groupId, deviceId, event: 'softDelete' }))) continue
      deleted = true
      const reason = 'cessation_of_operation'
      await revokeCertificates(ctx, tx, actor, { deviceIds: [deviceId], groupId, reason })
    }
    return deleted ? 'deleted' : 'nothing_to_do'
  })

/** Waits for another transaction that inserts the same event. @returns false for a repeated event */
async function insertProviderEvent(
  tx: Kysely<Tables>,
  target: SigningTarget,
  { id, deviceId }: ProviderEvent,
) {
  const row = await tx
    .insertInto('provider_events')
    .values({ routing_target_id: target.id, id, event: 'device.deleted', device_id: deviceId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

async function listGroupsWithDevice(
  tx: Kysely<Tables>,
  target: SigningTarget,
  { deviceId, occurredAt }: ProviderEvent,
) {
  const rows = await tx
    .selectFrom('onboarding_devices as d')
    .innerJoin('enrollment_groups as g', 'g.id', 'd.enrollment_group_id')
    .select('g.id')
    .where('g.routing_target_id', '=', target.id)
    .where('d.device_id', '=', deviceId)
    .where('d.status', '<>', 'deleted')
    // Events have a precision of milliseconds, registrations of microseconds.
    .$if(occurredAt !== undefined, (q) =>
      q.where(sql`date_trunc('milliseconds', d.created_at)`, '<=', occurredAt!),
    )
    .orderBy('g.id')
    .execute()
  return rows.map((row) => row.id)
}
