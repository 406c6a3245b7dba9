import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { addJob } from '../../jobs/add-job.ts'
import { changingBindings } from '../bindings/binding-changes.ts'
import { deleteRemotesTo, listBound, lockReaders } from '../bindings/delete-remotes.ts'
import { assetShape } from './schema.ts'
import { deleteAsset, getAssetForUpdate, getAssetRecord } from './store.ts'

/** A job: the samples of series that are no more, however many those are. */
export const DELETE_SAMPLES = 'delete-samples'
/** Its payload. */
export interface DeletedSeries {
  tenantNumber: number
  seriesNumbers: number[]
}

/** What was bound to it reads from it no more, its alarms are over, and its history goes. @throws not_found */
export async function removeAsset(ctx: Context, caller: Caller, id: string): Promise<void> {
  const alarmChanges = await changingBindings(ctx, caller.tenantId, async (tx, announce) => {
    const { tenantId } = caller
    const asset = { instanceType: 'asset', instanceId: id } as const
    await lockReaders(tx, tenantId, asset)
    const { number, model_id } = await getAssetForUpdate(tx, tenantId, id)
    const before = assetShape(await getAssetRecord(tx, tenantId, id))
    announce([id, ...(await listBound(tx, [number]))])
    announce(await deleteRemotesTo(tx, tenantId, asset))
    // Before the row goes, which samples on their way may hold.
    const changes = await ctx.alarms.settleAssets(tx, tenantId, {
      assetIds: [id],
      modelIds: [model_id],
      reason: 'asset_deleted',
    })
    await deleteAsset(tx, tenantId, id)
    await deleteSeries(tx, tenantId, id)
    await recordAudit(tx, caller, { action: 'delete', resourceType: 'asset', resourceId: id, before })
    return changes
  })
  ctx.alarms.changed(alarmChanges)
}

/** The next asset of this id starts without a past. */
async function deleteSeries(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  const { rows } = await sql<{ number: number; tenant_number: number }>`
    delete from series using tenants t
    where t.id = ${tenantId} and tenant_number = t.number and owner_type = 'asset' and owner_id = ${id}
    returning series.number, tenant_number`.execute(tx)
  if (!rows[0]) return
  const gone: DeletedSeries = {
    tenantNumber: rows[0].tenant_number,
    seriesNumbers: rows.map((row) => row.number),
  }
  await addJob(tx, DELETE_SAMPLES, gone)
}
