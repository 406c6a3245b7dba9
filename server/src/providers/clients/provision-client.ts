import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { getTemplate } from '../templates/store.ts'
import { isProperties, type Properties } from '../twin/merge-patch.ts'
import { changeDesired } from '../twin/set-desired.ts'
import { changingClient } from './client-changes.ts'
import { clientFields, type ProvisionClient } from './schema.ts'
import { type ClientRef, type ClientRow, getClientForUpdate, updateClient } from './store.ts'

/**
 * The template's options and the given ones become the client's `providerData`; desired properties among them are set.
 * @throws not_found for the client or template; conflict when the template is disabled
 */
export const provisionClient = (
  ctx: Context,
  actor: Actor,
  ref: ClientRef,
  { templateId, options }: ProvisionClient,
): Promise<ClientRow> =>
  changingClient(ctx, async (tx, announce) => {
    const found = await getClientForUpdate(tx, ref)
    const template = templateId === undefined ? undefined : await getTemplate(tx, ref.tenantId, templateId)
    if (template && !template.enabled)
      throw new ApiError(
        'conflict',
        `The provider template ${template.id} is disabled. Enable it, or use another.`,
      )
    const providerData: Properties = { ...template?.options, ...options }
    ctx.parsers.of(providerData.parser, 'options.parser')
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
    if (!isDeepStrictEqual(before.providerData.parser, after.providerData.parser))
      await announce({ clientId: row.id, change: 'parser_changed' })
    const desired = desiredOf(providerData)
    if (desired) await changeDesired(tx, announce, actor, row, '', desired)
    return row
  })

/** [interface: Template options seen] */
function desiredOf(options: Properties): Properties | undefined {
  const device = options.iotDeviceTemplateOptions
  const desired = isProperties(device) ? device.desiredProperties : undefined
  if (desired === undefined || isProperties(desired)) return desired
  throw validationError({
    path: 'options.iotDeviceTemplateOptions.desiredProperties',
    message: 'must be an object',
  })
}
