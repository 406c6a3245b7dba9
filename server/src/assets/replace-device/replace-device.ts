/**
 * Replaces a device in one transaction: all bindings to the old client name the new one. The assets keep their history.
 */
import type { Kysely } from 'kysely'
import { type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { type Announce, runClientChange } from '../../providers/clients/client-changes.ts'
import { publishBindingChange, applyBindingChange } from '../bindings/binding-changes.ts'
import { listBound } from '../bindings/delete-remotes.ts'
import { bindingShape } from '../bindings/schema.ts'
import { moveQueued } from '../commands/move-queued.ts'
import type { CommandContext } from '../commands/queue.ts'
import { refuse } from '../models/dtdl/document.ts'
import { changeClients } from '../properties/change-clients.ts'
import { type Delivery, deliverAll } from '../properties/deliver.ts'
import { listDesiredPatches } from '../properties/list-desired-patches.ts'
import { copyReported } from '../twins/copy-reported.ts'
import { makePlan, type Plan, type PlannedAsset } from './plan.ts'
import type { ReplaceDevice } from './schema.ts'
import { updateRemotes } from './store.ts'

/**
 * @throws not_found, forbidden, validation_error; conflict if too many commands would wait for the new client; the error
 * of a remote provider, after everything has committed
 */
export async function replaceDevice(
  ctx: CommandContext,
  caller: Caller,
  assetId: string,
  body: ReplaceDevice,
) {
  const { from, to, dryRun = false } = body
  if (from === to) refuse('to', 'must be another client than `from`')
  const { plan, done } = await runClientChange(ctx, async (tx, announce) => {
    const made = await makePlan(tx, caller, assetId, body)
    return { plan: made, done: dryRun ? noOutcome : await applyPlan({ ctx, tx, announce, caller }, made) }
  })
  if (!dryRun) {
    applyBindingChange(ctx, { tenantId: caller.tenantId, instanceIds: done.instanceIds })
    if (done.movedCommands > 0 && plan.to.on_broker) await ctx.commandQueue.dispatch(plan.to)
    await deliverAll(ctx, done.deliveries)
  }
  const moved = plan.assets.flatMap(({ after }) => after.map(movedShape))
  return { assetId, from, to, dryRun, moved, movedCommands: done.movedCommands, problems: plan.problems }
}

const movedShape = (binding: PlannedAsset['after'][number]) => {
  const { localEndpointId, remoteEndpointIds } = bindingShape(binding)
  return { localEndpointId, remoteEndpointIds: remoteEndpointIds.map(({ endpointId }) => endpointId) }
}

interface Outcome {
  movedCommands: number
  deliveries: Delivery[]
  /** The assets, and all instances that they read from before or after. */
  instanceIds: string[]
}
const noOutcome: Outcome = { movedCommands: 0, deliveries: [], instanceIds: [] }

interface Change {
  ctx: Context
  tx: Kysely<Tables>
  announce: Announce
  caller: Caller
}

async function applyPlan({ ctx, tx, announce, caller }: Change, plan: Plan): Promise<Outcome> {
  const { tenantId } = caller
  const { from, to, assets } = plan
  const numbers = assets.map(({ number }) => number)
  await updateRemotes(
    tx,
    assets.flatMap(({ before }) => before),
    { from: from.id, to: to.id },
  )
  const movedCommands = await moveQueued(ctx, tx, { from, to })
  const wanted = []
  for (const { number, after } of assets) wanted.push(...(await listDesiredPatches(tx, number, after, to.id)))
  const deliveries = await changeClients(tx, announce, caller, wanted)
  for (const { after, endpoints } of assets) await copyReported(tx, tenantId, after, endpoints)
  await recordAudits(tx, caller, assets.map(auditEntry))
  const instanceIds = [from.id, ...(await listBound(tx, numbers))]
  await publishBindingChange(ctx, tx, { tenantId, instanceIds })
  return { movedCommands, deliveries, instanceIds }
}

const auditEntry = ({ id, before, after }: PlannedAsset): AuditEntry => ({
  action: 'replace-device',
  resourceType: 'asset',
  resourceId: id,
  before: { bindings: before.map(bindingShape) },
  after: { bindings: after.map(bindingShape) },
})
