import type { Actor } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { revokeCertificates } from '../certificates/revocation/revoke-certificates.ts'
import { deleteDevice } from './store.ts'

/**
 * Removes a device from its group and revokes its certificates there, which ends the sessions that signed in with them.
 * @throws device_not_registered
 */
export const removeDevice = (
  ctx: Pick<Context, 'db' | 'nodes'>,
  actor: Actor,
  groupId: string,
  deviceId: string,
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    await deleteDevice(tx, actor, groupId, deviceId)
    await revokeCertificates(ctx, tx, actor, {
      deviceIds: [deviceId],
      groupId,
      reason: 'cessation_of_operation',
    })
  })
