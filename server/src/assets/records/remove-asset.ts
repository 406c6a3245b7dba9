import { type Kysely, sql } from 'kysely'
import { type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { notFound } from '../../http/errors.ts'
import { addJob } from '../../jobs/add-job.ts'
import { changingBindings } from '../bindings/binding-changes.ts'
import { deleteRemotesTo, listBound, lockReaders } from '../bindings/delete-remotes.ts'
import { type AssetRecordRow, assetShape } from './schema.ts'
import { deleteAssets, listAssetRecordsOf } from './store.ts'

/** A job: the samples of series that are no more, however many those are. */
export const DELETE_SAMPLES = 'delete-samples'
/** Its payload. */
export interface DeletedSeries {
  tenantNumber: number
  seriesNumbers: number[]
}

/** What was bound to it reads from it no more, its alarms are over, and its history goes. @throws not_found */
export async function removeAsset(ctx: Context, caller: Caller, id: string): Promise<void> {
  if ((await removeAssets(ctx, caller, [id])) === 0) throw notFound('asset', id)
}

/** The same for many, in one transaction. @returns how many of them there were */
export async function removeAssets(ctx: Context, caller: Caller, ids: string[]): Promise<number> {
  const { removed, alarmChanges } = await changingBindings(ctx, caller.tenantId, async (tx, announce) => {
    const { tenantId } = caller
    const assets = { instanceType: 'asset', instanceIds: ids } as const
    await lockReaders(tx, tenantId, assets)
    const rows = await listAssetRecordsOf(tx, tenantId, ids)
    if (rows.length === 0) return { removed: 0, alarmChanges: [] }
    // Before the bindings, as samples on their way do: so that nobody waits in a circle.
    const changes = await ctx.alarms.settleAssets(tx, tenantId, {
      assetIds: ids,
      modelIds: [...new Set(rows.map((row) => row.model_id))],
      reason: 'asset_deleted',
    })
    const numbers = rows.map(({ number }) => number)
    announce([...rows.map(({ id }) => id), ...(await listBound(tx, numbers))])
    announce(await deleteRemotesTo(tx, tenantId, assets))
    await deleteAssets(tx, tenantId, ids)
    await deleteSeries(tx, tenantId, ids)
    await recordAudits(tx, caller, rows.map(entryOf))
    return { removed: rows.length, alarmChanges: changes }
  })
  ctx.alarms.afterCommit(alarmChanges)
  return removed
}

const entryOf = (row: AssetRecordRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'asset',
  resourceId: row.id,
  before: assetShape(row),
})

/** The next assets of these ids start without a past. */
async function deleteSeries(tx: Kysely<Tables>, tenantId: string, ids: string[]): Promise<void> {
  const { rows } = await sql<{ number: number; tenant_number: number }>`
    delete from series using tenants t
    where t.id = ${tenantId} and tenant_number = t.number and owner_type = 'asset'
      and owner_id = any(${ids}::text[])
    returning series.number, tenant_number`.execute(tx)
  if (!rows[0]) return
  const gone: DeletedSeries = {
    tenantNumber: rows[0].tenant_number,
    seriesNumbers: rows.map((row) => row.number),
  }
  await addJob(tx, DELETE_SAMPLES, gone)
}
