/** Deletes clients. `client-changes.ts` ends their live sessions. */
import { publishBindingChange, applyBindingChange } from '../../assets/bindings/binding-changes.ts'
import { deleteRemotesTo, lockReaders } from '../../assets/bindings/delete-remotes.ts'
import { type Actor, type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { orNotFound } from '../../http/errors.ts'
import { revokeCertificates } from '../../onboarding/certificates/revocation/revoke-certificates.ts'
import { findRemote } from '../kinds/find-remote.ts'
import { enqueueDevicesDeleted } from '../webhooks/enqueue.ts'
import { actorName } from './actor-name.ts'
import { runClientChange } from './client-changes.ts'
import { clientFields } from './schema.ts'
import { type ClientRef, type ClientRow, deleteClients, listClientsForUpdate } from './store.ts'

/**
 * Deletes a client and the bindings of assets to it, ends its live sessions at once, and notifies the subscribed
 * webhooks. [docs/providers#clients]
 * @throws not_found
 */
export async function removeClient(ctx: Context, actor: Actor, ref: ClientRef): Promise<void> {
  await (await findRemote(ctx, ref))?.deleteClient(ctx, ref)
  const removed = await removeLocalClients(ctx, actor, ref, [ref.clientId])
  orNotFound(removed[0], 'provider client', ref.clientId)
}

/**
 * Deletes several clients in one transaction, without calling a remote provider.
 * @returns the deleted clients
 */
export async function removeLocalClients(
  ctx: Context,
  actor: Actor,
  provider: Omit<ClientRef, 'clientId'>,
  clientIds: string[],
): Promise<ClientRow[]> {
  const { tenantId } = provider
  const { found, readers } = await runClientChange(ctx, async (tx, announce) => {
    const clients = { instanceType: 'client', instanceIds: clientIds } as const
    await lockReaders(tx, tenantId, clients)
    const rows = await listClientsForUpdate(tx, provider, clientIds)
    if (rows.length === 0) return { found: rows, readers: [] }
    const ids = rows.map(({ id }) => id)
    const instanceIds = await deleteRemotesTo(tx, tenantId, { ...clients, instanceIds: ids })
    if (instanceIds.length > 0) await publishBindingChange(ctx, tx, { tenantId, instanceIds })
    // Another device may get the id later.
    const deviceIds = rows.filter((row) => row.on_broker).map(({ id }) => id)
    await revokeCertificates(ctx, tx, actor, { deviceIds, reason: 'cessation_of_operation' })
    await deleteClients(tx, provider, ids)
    await recordAudits(tx, actor, rows.map(auditEntry))
    await enqueueDevicesDeleted(tx, provider, ids)
    const message = `Deleted by ${await actorName(tx, actor)}.`
    for (const { id, on_broker: onBroker } of rows)
      await announce({ clientId: id, onBroker, change: 'client_deleted', message })
    return { found: rows, readers: instanceIds }
  })
  if (readers.length > 0) applyBindingChange(ctx, { tenantId, instanceIds: readers })
  return found
}

const auditEntry = (row: ClientRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'provider_client',
  resourceId: row.id,
  before: clientFields(row),
})
