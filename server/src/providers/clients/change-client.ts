/** Updates a client. `client-changes.ts` applies the change to its live sessions. */
import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
import type { Properties } from '../twin/merge-patch.ts'
import { actorName } from './actor-name.ts'
import { type Announce, runClientChange } from './client-changes.ts'
import { checkProviderData } from './provider-data.ts'
import { clientFields } from './schema.ts'
import { type ClientRef, type ClientRow, getClient, getClientForUpdate, updateClient } from './store.ts'

/** Undefined fields keep their values. */
export interface ClientUpdate {
  displayName?: string
  description?: string | null
  enabled?: boolean
  providerData?: (before: Properties) => Properties
}

const resourceType = 'provider_client'

/** Disabling a client ends its live sessions at once. [docs/providers#clients] @throws not_found, validation_error */
export async function changeClient(
  ctx: Context,
  actor: Actor,
  ref: ClientRef,
  { displayName, description, enabled, providerData }: ClientUpdate,
): Promise<ClientRow> {
  const readProviderData = (row: ClientRow): Properties | undefined => {
    const data = providerData?.(row.provider_data)
    if (data) checkProviderData(ctx, data, 'providerData')
    return data
  }
  const known = await getClient(ctx.db, ref)
  // The data is checked before the remote provider is changed.
  readProviderData(known)
  if (enabled !== undefined) await getProviderKind(known.provider_type).remote?.setEnabled(ctx, ref, enabled)
  return runClientChange(ctx, async (tx, announce) => {
    const found = await getClientForUpdate(tx, ref)
    const data = readProviderData(found)
    const row = await updateClient(tx, ref, {
      display_name: displayName,
      description,
      enabled,
      provider_data: data && JSON.stringify(data),
    })
    const [before, after] = [clientFields(found), clientFields(row)]
    await recordAudit(tx, actor, { action: 'update', resourceType, resourceId: row.id, before, after })
    await announceParserChange(announce, found, row)
    if (found.enabled && !row.enabled) {
      const message = `Disabled by ${await actorName(tx, actor)}.`
      await announce({ clientId: row.id, onBroker: row.on_broker, change: 'client_disabled', message })
    }
    return row
  })
}

/** Announces a new parser, so that live sessions use it for the next payload. */
export async function announceParserChange(
  announce: Announce,
  before: ClientRow,
  after: ClientRow,
): Promise<void> {
  if (isDeepStrictEqual(before.provider_data.parser, after.provider_data.parser)) return
  await announce({ clientId: after.id, onBroker: after.on_broker, change: 'parser_changed' })
}
