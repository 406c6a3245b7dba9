/** Updating and deleting a client. What its live sessions must know is in `client-changes.ts`. */
import { type Actor, recordAudit } from '../../audit/record.ts'
import { notifyOfBindings, tellOfBindings } from '../../assets/bindings/binding-changes.ts'
import { deleteRemotesTo, lockReaders } from '../../assets/bindings/delete-remotes.ts'
import type { Context } from '../../context.ts'
import { enqueueDeviceDeleted } from '../webhooks/enqueue.ts'
import { actorName } from './actor-name.ts'
import { changingClient } from './client-changes.ts'
import { remoteOf } from '../kinds/remote-of.ts'
import { clientFields, type PutClient } from './schema.ts'
import { type ClientRef, type ClientRow, deleteClient, getClientForUpdate, updateClient } from './store.ts'

const resourceType = 'provider_client'

/** A client that is disabled loses its live session at once. [contract §4] @throws not_found */
export async function changeClient(
  ctx: Context,
  actor: Actor,
  ref: ClientRef,
  body: PutClient,
): Promise<ClientRow> {
  // [interface: Update provider client, default true]
  const enabled = body.enabled ?? true
  await (await remoteOf(ctx, ref))?.setEnabled(ctx, ref, enabled)
  return changingClient(ctx, async (tx, announce) => {
    const found = await getClientForUpdate(tx, ref)
    const row = await updateClient(tx, ref, {
      display_name: body.displayName,
      description: body.description,
      enabled,
    })
    const [before, after] = [clientFields(found), clientFields(row)]
    await recordAudit(tx, actor, { action: 'update', resourceType, resourceId: row.id, before, after })
    if (found.enabled && !row.enabled) {
      const message = `Disabled by ${await actorName(tx, actor)}.`
      await announce({ clientId: row.id, onBroker: row.on_broker, change: 'client_disabled', message })
    }
    return row
  })
}

/**
 * Ends its live session at once, and tells the subscribed webhooks. What assets had bound to it is bound no more.
 * [contract §4] @throws not_found
 */
export async function removeClient(ctx: Context, actor: Actor, ref: ClientRef): Promise<void> {
  await (await remoteOf(ctx, ref))?.deleteClient(ctx, ref)
  const unbound = await changingClient(ctx, async (tx, announce) => {
    const { tenantId } = ref
    const remote = { instanceType: 'client', instanceId: ref.clientId } as const
    await lockReaders(tx, tenantId, remote)
    const found = await getClientForUpdate(tx, ref)
    const before = clientFields(found)
    const change = { tenantId, instanceIds: await deleteRemotesTo(tx, tenantId, remote) }
    if (change.instanceIds.length > 0) await notifyOfBindings(tx, change)
    await deleteClient(tx, ref)
    await recordAudit(tx, actor, { action: 'delete', resourceType, resourceId: before.id, before })
    await enqueueDeviceDeleted(tx, ref)
    const message = `Deleted by ${await actorName(tx, actor)}.`
    await announce({ clientId: before.id, onBroker: found.on_broker, change: 'client_deleted', message })
    return change
  })
  if (unbound.instanceIds.length > 0) tellOfBindings(ctx, unbound)
}
