import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { actorName } from '../clients/actor-name.ts'
import { runClientChange } from '../clients/client-changes.ts'
import type { ClientRef } from '../clients/store.ts'
import { findRemote } from '../kinds/find-remote.ts'
import { type DeviceKeys, openKeys, rotatedKeyColumns } from './device-keys.ts'
import { getSealedKeysForUpdate, updateKeys } from './store.ts'

/**
 * The secondary key becomes primary, a new secondary key is generated, and the sessions of the previous primary key end.
 * Concurrent rotations run one after the other, and each retires one key. [docs/providers#credentials]
 * @throws not_found, conflict for a client without keys
 */
export async function rotateKeys(ctx: Context, actor: Actor, ref: ClientRef): Promise<DeviceKeys> {
  const remoteKeys = await (await findRemote(ctx, ref))?.rotateKeys(ctx, ref)
  return runClientChange(ctx, async (tx, announce) => {
    const { clientId } = ref
    const row = await getSealedKeysForUpdate(tx, ref)
    const rotated = remoteKeys ?? (await rotatedKeyColumns(ctx.sealer, row))
    if (!rotated) throw noCredentials(clientId)
    await updateKeys(tx, ref, rotated)
    await recordAudit(tx, actor, {
      action: 'rotate-keys',
      resourceType: 'provider_client',
      resourceId: clientId,
    })
    const message = `${await actorName(tx, actor)} rotated the keys, which invalidated the previous primary key.`
    await announce({ clientId, onBroker: row.on_broker, change: 'keys_rotated', message })
    return openKeys(ctx.sealer.open, { ...row, ...rotated })!
  })
}

export const noCredentials = (clientId: string) =>
  new ApiError(
    'conflict',
    `The provider client ${clientId} has no credentials: its provider is of a type whose clients do not sign in here.`,
  )
