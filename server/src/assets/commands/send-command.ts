/** Sending a command: checked, stored with the way it goes, and on that way if the device is there. [docs/assets#commands] */
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { orNotFound, validationError } from '../../http/errors.ts'
import { isElsewhere } from '../../providers/handovers/is-elsewhere.ts'
import { whyNot } from '../../providers/kinds/mqtt/invoke-method.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { getAsset } from '../records/store.ts'
import { addRetryJob, addSettleJob, RETRY_MS } from './settle-command.ts'
import { findCommandContent, findRequestProblem } from './payloads.ts'
import { refuseFullQueue } from './refuse-full-queue.ts'
import { type CommandContext, publishQueued } from './queue.ts'
import { runCommand } from './run-command.ts'
import type { SendCommand } from './schema.ts'
import type { CommandRow } from '../../database/tables/commands.ts'
import { findCommand, insertCommand, listQueued, type NewCommand, updateCommand } from './store.ts'
import { findTarget } from './target.ts'

/** How long a device may take, as with a direct method of which nothing else is said. */
const TIMEOUT_SECONDS = 30

/**
 * @returns the command as it stands: often running, since nobody waits for the device here
 * @throws not_found, validation_error; conflict where too many wait for the device
 */
export async function sendCommand(
  ctx: CommandContext,
  caller: Caller,
  { assetId, name, body }: { assetId: string; name: string; body: SendCommand },
): Promise<CommandRow> {
  const { payload = null, expiresAfterSeconds = 0 } = body
  const componentId = body.componentId ?? ''
  const asset = await getAsset(ctx.db, caller.tenantId, assetId)
  await requireFittingPayload(ctx, asset, { componentId, name, payload })
  const endpoint = { instanceId: assetId, componentId, kind: 'command' as const, name }
  const target = await findTarget(ctx.db, caller.tenantId, endpoint, payload)
  const place = { assetNumber: asset.number, componentId, name }
  const command = { ...place, payload, expiresAfterSeconds, timeoutSeconds: TIMEOUT_SECONDS, target }
  const stored = await storeCommand(ctx, caller, assetId, command)
  if (typeof target === 'string') return stored
  await (target.client.on_broker ? sendOnBroker : sendToRemoteProvider)(ctx, stored, target.client)
  return (await findCommand(ctx.db, stored.id)) ?? stored
}

async function requireFittingPayload(
  ctx: Context,
  asset: { tenant_id: string; model_id: string },
  { componentId, name, payload }: { componentId: string; name: string; payload: unknown },
): Promise<void> {
  const command = orNotFound(
    await findCommandContent(ctx.db, asset, componentId, name),
    'command',
    componentId === '' ? name : `${name} of the component ${componentId}`,
  )
  const message = findRequestProblem(command, payload)
  if (message) throw validationError({ path: 'payload', message })
}

/** Audited without its payload, which may hold a secret of the device. */
const storeCommand = (
  ctx: Context,
  caller: Caller,
  assetId: string,
  command: NewCommand,
): Promise<CommandRow> =>
  ctx.db.transaction().execute(async (tx) => {
    const row = await insertCommand(tx, command)
    const { name, componentId, expiresAfterSeconds, target } = command
    await recordAudit(tx, caller, {
      action: 'send-command',
      resourceType: 'asset',
      resourceId: assetId,
      after: { commandId: row.id, name, componentId, expiresAfterSeconds },
    })
    if (typeof target === 'string') return row
    if (expiresAfterSeconds > 0) await refuseFullQueue(tx, target.client)
    await addSettleJob(tx, row.id, row.expires_at)
    if (target.client.on_broker) await publishQueued(ctx, tx, target.client)
    // Should this process not come to send it.
    else if (expiresAfterSeconds > 0) await addRetryJob(tx, target.client, RETRY_MS)
    return row
  })

async function sendOnBroker(ctx: CommandContext, command: CommandRow, client: LocatedClient): Promise<void> {
  await ctx.commandQueue.dispatch(client)
  // Another process that holds the session has heard of the command.
  if (command.expires_after_seconds > 0 || (await isElsewhere(ctx, client.id))) return
  const message = `device_offline: ${whyNot(ctx, client.id, command.method!)}`
  await updateCommand(ctx.db, command.id, 'offline', { status_message: message })
}

/** What its provider says is not waited for, unless others wait for the same device: then it waits behind them. */
async function sendToRemoteProvider(ctx: Context, command: CommandRow, client: LocatedClient): Promise<void> {
  const [first] = await listQueued(ctx.db, client.number)
  if (first?.id === command.id || command.expires_after_seconds === 0) await runCommand(ctx, command, client)
  // The one before may be just on its way, so that nobody would come back for this one.
  else await addRetryJob(ctx.db, client, 0)
}
