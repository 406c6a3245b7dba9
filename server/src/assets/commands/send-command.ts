/**
 * Sends a command: checks it, stores it with its target, and dispatches it if the device is connected.
 * [docs/assets#commands]
 */
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { orNotFound, validationError } from '../../http/errors.ts'
import { isConnectedElsewhere } from '../../providers/method-relay/is-connected-elsewhere.ts'
import { explainUnreachable } from '../../providers/kinds/mqtt/invoke-method.ts'
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

/** The time that a device has to respond, which is the default of direct methods. */
const TIMEOUT_SECONDS = 30

/**
 * @returns the command in its current state, often running, since this function does not wait for the response
 * @throws not_found, validation_error; conflict if too many commands wait for the device
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

/** The audit entry omits the payload, which may contain a secret of the device. */
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
    // The job sends the command if this node dies before it does.
    else if (expiresAfterSeconds > 0) await addRetryJob(tx, target.client, RETRY_MS)
    return row
  })

async function sendOnBroker(ctx: CommandContext, command: CommandRow, client: LocatedClient): Promise<void> {
  await ctx.commandQueue.dispatch(client)
  // Another node may hold the session, and is notified of the command.
  if (command.expires_after_seconds > 0 || (await isConnectedElsewhere(ctx, client.id))) return
  const message = `device_offline: ${explainUnreachable(ctx, client.id, command.method!)}`
  await updateCommand(ctx.db, command.id, 'offline', { status_message: message })
}

/**
 * Sends the command without waiting for the provider's response. If other commands wait for the same device, it waits
 * behind them.
 */
async function sendToRemoteProvider(ctx: Context, command: CommandRow, client: LocatedClient): Promise<void> {
  const [first] = await listQueued(ctx.db, client.number)
  if (first?.id === command.id || command.expires_after_seconds === 0) await runCommand(ctx, command, client)
  // The command ahead may be in flight at this moment, so that no later job would send this one.
  else await addRetryJob(ctx.db, client, 0)
}
