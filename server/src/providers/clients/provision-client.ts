import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { updateKeys } from '../credentials/store.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
import type { ProviderTemplateRow } from '../../database/tables/providers.ts'
import { getTemplate } from '../templates/store.ts'
import { isProperties, type Properties } from '../twin/merge-patch.ts'
import { changeDesired } from '../twin/set-desired.ts'
import { announceParserChange } from './change-client.ts'
import { runClientChange } from './client-changes.ts'
import { checkProviderData } from './provider-data.ts'
import { clientFields, type ProvisionClient } from './schema.ts'
import { type ClientRef, type ClientRow, getClient, getClientForUpdate, updateClient } from './store.ts'

/**
 * Provisions a client: the template's options and the given ones become its `providerData`, and desired properties among
 * them are set.
 * @throws not_found for the client or template; conflict when the template is disabled; errors of a remote provider
 */
export async function provisionClient(
  ctx: Context,
  actor: Actor,
  ref: ClientRef,
  { templateId, options }: ProvisionClient,
): Promise<ClientRow> {
  const { enabled, provider_type: type } = await getClient(ctx.db, ref)
  const template = templateId === undefined ? undefined : await getEnabled(ctx, ref.tenantId, templateId)
  const providerData: Properties = { ...template?.options, ...options }
  checkProviderData(ctx, providerData, 'options')
  const { remote } = getProviderKind(type)
  const keys = await remote?.provision(ctx, { ...ref, enabled }, providerData)
  return runClientChange(ctx, async (tx, announce) => {
    const found = await getClientForUpdate(tx, ref)
    if (keys) await updateKeys(tx, ref, keys)
    const row = await updateClient(tx, ref, {
      provider_data: JSON.stringify(providerData),
      template_id: template?.id ?? null,
      template_applied: template ? new Date() : null,
    })
    const [before, after] = [clientFields(found), clientFields(row)]
    await recordAudit(tx, actor, {
      action: 'provision',
      resourceType: 'provider_client',
      resourceId: row.id,
      before,
      after,
    })
    await announceParserChange(announce, found, row)
    const desired = remote ? undefined : readDesired(providerData)
    if (desired) await changeDesired(tx, announce, { actor, client: row, change: { patch: desired } })
    return row
  })
}

async function getEnabled(
  { db }: Context,
  tenantId: string,
  templateId: string,
): Promise<ProviderTemplateRow> {
  const template = await getTemplate(db, tenantId, templateId)
  if (template.enabled) return template
  throw new ApiError(
    'conflict',
    `The provider template ${template.id} is disabled. Enable it, or use another.`,
  )
}

/** [docs/providers#provider-templates] */
function readDesired(options: Properties): Properties | undefined {
  const device = options.iotDeviceTemplateOptions
  const desired = isProperties(device) ? device.desiredProperties : undefined
  if (desired === undefined || isProperties(desired)) return desired
  throw validationError({
    path: 'options.iotDeviceTemplateOptions.desiredProperties',
    message: 'must be an object',
  })
}
