/** Updating a client. What its live sessions must know is in `client-changes.ts`. */
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { actorName } from './actor-name.ts'
import { changingClient } from './client-changes.ts'
import { remoteOf } from '../kinds/remote-of.ts'
import { clientFields, type PutClient } from './schema.ts'
import { type ClientRef, type ClientRow, getClientForUpdate, updateClient } from './store.ts'

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
