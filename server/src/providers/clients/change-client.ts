/** Updating a client. What its live sessions must know is in `client-changes.ts`. */
import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { kindOf } from '../kinds/kind-of.ts'
import type { Properties } from '../twin/merge-patch.ts'
import { actorName } from './actor-name.ts'
import { type Announce, changingClient } from './client-changes.ts'
import { checkProviderData } from './provider-data.ts'
import { clientFields } from './schema.ts'
import { type ClientRef, type ClientRow, getClient, getClientForUpdate, updateClient } from './store.ts'

/** What is undefined stays as it is. */
export interface ClientUpdate {
  displayName?: string
  description?: string | null
  enabled?: boolean
  providerData?: (before: Properties) => Properties
}

const resourceType = 'provider_client'

/** A client that is disabled loses its live session at once. [docs/providers#clients] @throws not_found, validation_error */
export async function changeClient(
  ctx: Context,
  actor: Actor,
  ref: ClientRef,
  { displayName, description, enabled, providerData }: ClientUpdate,
): Promise<ClientRow> {
  const providerDataOf = (row: ClientRow): Properties | undefined => {
    const data = providerData?.(row.provider_data)
    if (data) checkProviderData(ctx, data, 'providerData')
    return data
  }
  const known = await getClient(ctx.db, ref)
  // Before the provider is told anything.
  providerDataOf(known)
  if (enabled !== undefined) await kindOf(known.provider_type).remote?.setEnabled(ctx, ref, enabled)
  return changingClient(ctx, async (tx, announce) => {
    const found = await getClientForUpdate(tx, ref)
    const data = providerDataOf(found)
    const row = await updateClient(tx, ref, {
      display_name: displayName,
      description,
      enabled,
      provider_data: data && JSON.stringify(data),
    })
    const [before, after] = [clientFields(found), clientFields(row)]
    await recordAudit(tx, actor, { action: 'update', resourceType, resourceId: row.id, before, after })
    await announceParser(announce, found, row)
    if (found.enabled && !row.enabled) {
      const message = `Disabled by ${await actorName(tx, actor)}.`
      await announce({ clientId: row.id, onBroker: row.on_broker, change: 'client_disabled', message })
    }
    return row
  })
}

/** Its live sessions read their payloads in another way from now on. */
export async function announceParser(announce: Announce, before: ClientRow, after: ClientRow): Promise<void> {
  if (isDeepStrictEqual(before.provider_data.parser, after.provider_data.parser)) return
  await announce({ clientId: after.id, onBroker: after.on_broker, change: 'parser_changed' })
}
