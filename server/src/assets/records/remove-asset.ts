import { type Kysely, sql } from 'kysely'
import { type AuditEntry, recordAudits } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { notFound } from '../../http/errors.ts'
import { addJob } from '../../jobs/add-job.ts'
import { changeBindings } from '../bindings/binding-changes.ts'
import { deleteRemotesTo, listBound, lockReaders } from '../bindings/delete-remotes.ts'
import { type AssetRecordRow, assetShape } from './schema.ts'
import { deleteAssets, listAssetRecordsByIds } from './store.ts'

/** A job that deletes the samples of deleted series, however many there are. */
export const DELETE_SAMPLES = 'delete-samples'
/** The payload of the job. */
export interface DeletedSeries {
  tenantNumber: number
  seriesNumbers: number[]
  /** Absent in a job of an earlier version. */
  streamNumbers?: number[]
}

/** Deletes an asset, the bindings to it and its history, and ends its alarms. @throws not_found */
export async function removeAsset(ctx: Context, caller: Caller, id: string): Promise<void> {
  if ((await removeAssets(ctx, caller, [id])) === 0) throw notFound('asset', id)
}

/** Deletes many assets in one transaction. @returns the number of deleted assets */
export async function removeAssets(ctx: Context, caller: Caller, ids: string[]): Promise<number> {
  const { removed, alarmChanges } = await changeBindings(ctx, caller.tenantId, async (tx, announce) => {
    const { tenantId } = caller
    const assets = { instanceType: 'asset', instanceIds: ids } as const
    await lockReaders(tx, tenantId, assets)
    const rows = await listAssetRecordsByIds(tx, tenantId, ids)
    if (rows.length === 0) return { removed: 0, alarmChanges: [] }
    // Alarms are locked before bindings, in the order in which ingest locks them, to avoid a deadlock.
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
    await recordAudits(tx, caller, rows.map(auditEntry))
    return { removed: rows.length, alarmChanges: changes }
  })
  ctx.alarms.afterCommit(alarmChanges)
  return removed
}

const auditEntry = (row: AssetRecordRow): AuditEntry => ({
  action: 'delete',
  resourceType: 'asset',
  resourceId: row.id,
  before: assetShape(row),
})

/** Deletes the series, so that later assets with these ids start without history. */
async function deleteSeries(tx: Kysely<Tables>, tenantId: string, ids: string[]): Promise<void> {
  const isOfAssets = sql`t.id = ${tenantId} and tenant_number = t.number and owner_type = 'asset'
    and owner_id = any(${ids}::text[])`
  const { rows: streams } = await sql<{ number: number; tenant_number: number }>`
    select streams.number, tenant_number from streams, tenants t where ${isOfAssets}
    order by streams.number for update of streams`.execute(tx)
  if (!streams[0]) return
  const streamNumbers = streams.map(({ number }) => number)
  const { rows: series } = await sql<{ number: number }>`
    delete from series using tenants t where ${isOfAssets} returning series.number`.execute(tx)
  await sql`delete from streams using tenants t where ${isOfAssets}`.execute(tx)
  const gone: DeletedSeries = {
    tenantNumber: streams[0].tenant_number,
    seriesNumbers: series.map(({ number }) => number),
    streamNumbers,
  }
  await addJob(tx, DELETE_SAMPLES, gone)
}
