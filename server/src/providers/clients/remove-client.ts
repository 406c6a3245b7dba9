/** Deleting clients. What their live sessions must know is in `client-changes.ts`. */
import { notifyOfBindings, tellOfBindings } from '../../assets/bindings/binding-changes.ts'
import { deleteRemotesTo, lockReaders } from '../../assets/bindings/delete-remotes.ts'
import { type Actor, type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { orNotFound } from '../../http/errors.ts'
import { remoteOf } from '../kinds/remote-of.ts'
import { enqueueDevicesDeleted } from '../webhooks/enqueue.ts'
import { actorName } from './actor-name.ts'
import { changingClient } from './client-changes.ts'
import { clientFields } from './schema.ts'
import { type ClientRef, type ClientRow, deleteClients, listClientsForUpdate } from './store.ts'

/**
 * Ends its live session at once, and tells the subscribed webhooks. What assets had bound to it is bound no more.
 * [docs/providers#clients] @throws not_found
 */
export async function removeClient(ctx: Context, actor: Actor, ref: ClientRef): Promise<void> {
  await (await remoteOf(ctx, ref))?.deleteClient(ctx, ref)
  const removed = await removeClientsHere(ctx, actor, ref, [ref.clientId])
  orNotFound(removed[0], 'provider client', ref.clientId)
}

/**
 * The same for many, in one transaction; of a provider that keeps nothing of them elsewhere.
 * @returns those that there were
 */
export async function removeClientsHere(
  ctx: Context,
  actor: Actor,
  provider: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<ClientRow[]> {
  const { tenantId } = provider
  const { found, readers } = await changingClient(ctx, async (tx, announce) => {
    const clients = { instanceType: 'client', instanceIds: clientIds } as const
    await lockReaders(tx, tenantId, clients)
    const rows = await listClientsForUpdate(tx, provider, clientIds)
    if (rows.length === 0) return { found: rows, readers: [] }
    const ids = rows.map(({ id }) => id)
    const instanceIds = await deleteRemotesTo(tx, tenantId, { ...clients, instanceIds: ids })
    if (instanceIds.length > 0) await notifyOfBindings(tx, { tenantId, instanceIds })
    await deleteClients(tx, provider, ids)
    await recordAudits(tx, actor, rows.map(entryOf))
    await enqueueDevicesDeleted(tx, provider, ids)
    const message = `Deleted by ${await actorName(tx, actor)}.`
    for (const { id, on_broker: onBroker } of rows)
      await announce({ clientId: id, onBroker, change: 'client_deleted', message })
    return { found: rows, readers: instanceIds }
  })
  if (readers.length > 0) tellOfBindings(ctx, { tenantId, instanceIds: readers })
  return found
}

const entryOf = (row: ClientRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'provider_client',
  resourceId: row.id,
  before: clientFields(row),
})
