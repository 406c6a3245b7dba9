/**
 * Deletes everything of a tenant, some rows at a time. Each step can be repeated, so that the job continues after a
 * crash.
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { publishBindingChange, applyBindingChange } from '../../assets/bindings/binding-changes.ts'
import type { Tables } from '../../database/tables.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { runClientChange } from '../../providers/clients/client-changes.ts'
import { simulationChanged } from '../../simulations/leases.ts'
import { addDeletionJob, DELETE_TENANT, type DeletedTenant } from './delete-tenant.ts'
import type { TenantRow } from '../../database/tables/organizations.ts'
import {
  deleteRows,
  listPartitions,
  listSharedPartitions,
  listTenantTables,
  type TenantTable,
} from './tenant-tables.ts'

/** The number of rows in one transaction, which limits how long locks are held. */
const BATCH = 1000
/** The number of files between two queries. */
const FILES = 100
/**
 * Longer than a message waits to be stored: messages that were in flight when the devices were disconnected have been
 * stored by then, and are deleted by the second run.
 */
const SETTLE_MS = 60_000
/** While it waits to drop a partition, the job blocks inserts no longer than this. */
const LOCK_TIMEOUT_MS = 500

/** Deleted first, so that no notifications, alarms or webhook calls follow from the rest of the deletion. */
const FIRST = ['notifications', 'alarms', 'provider_webhooks']

/** @param deleteCopies deletes copies of telemetry outside the database; it may be called repeatedly */
export const tenantTasks = (ctx: Context, deleteCopies: (tenantId: string) => Promise<void>): Tasks => ({
  [DELETE_TENANT]: async (payload) => {
    const { id } = payload as DeletedTenant
    try {
      await deleteContent(ctx, id, deleteCopies)
    } catch (error) {
      const message = 'The last try failed and is repeated; the log of the server has the reason.'
      await ctx.db.updateTable('tenants').set({ deletion_error: message }).where('id', '=', id).execute()
      throw error
    }
  },
})

async function deleteContent(
  ctx: Context,
  id: string,
  deleteCopies: (tenantId: string) => Promise<void>,
): Promise<void> {
  const tenant = await ctx.db
    .selectFrom('tenants')
    .selectAll()
    .where('id', '=', id)
    .where('deletion_started_at', 'is not', null)
    .executeTakeFirst()
  if (!tenant) return
  const tables = await listTenantTables(ctx.db)
  for (const name of FIRST)
    await emptyTable(
      ctx,
      tables.find((table) => table.name === name)!,
      tenant,
    )
  await stopSimulations(ctx, id)
  await disconnectClients(ctx, id)
  await deleteFiles(ctx, tenant)
  await deleteCopies(id)
  for (const table of tables) await emptyTable(ctx, table, tenant)
  await clearCaches(ctx, id)
  if (tenant.deletion_cleared_at) return deleteRemainder(ctx, tenant)
  await ctx.db.transaction().execute(async (tx) => {
    await tx.updateTable('tenants').set({ deletion_cleared_at: new Date() }).where('id', '=', id).execute()
    await addDeletionJob(tx, id, new Date(Date.now() + SETTLE_MS))
  })
}

async function emptyTable({ db }: Context, table: TenantTable, tenant: TenantRow): Promise<void> {
  for (let deleted = 1; deleted > 0;)
    deleted = await db.transaction().execute(async (tx) => {
      const rows = await deleteRows(tx, table, tenant, BATCH)
      if (rows > 0) await countDeleted(tx, tenant.id, rows)
      return rows
    })
}

const countDeleted = (tx: Kysely<Tables>, id: string, rows: number) =>
  sql`update tenants set deletion_rows = deletion_rows + ${rows}, deletion_error = null where id = ${id}`.execute(
    tx,
  )

/** Stops simulations, also those that run on other nodes. */
const stopSimulations = (ctx: Context, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const rows = await tx.deleteFrom('simulations').where('tenant_id', '=', id).returning('id').execute()
    await simulationChanged.publish(ctx, tx, ...rows)
  })

/** Disconnects all clients before the first one is deleted, since deleting takes longer. */
async function disconnectClients(ctx: Context, id: string): Promise<void> {
  for (let found = 1; found > 0;)
    found = await runClientChange(ctx, async (tx, announce) => {
      const { rows } = await sql<{ id: string; on_broker: boolean }>`
        update provider_clients set enabled = false where ctid = any(array(
          select ctid from provider_clients where tenant_id = ${id} and enabled limit ${BATCH}))
        returning id, on_broker`.execute(tx)
      for (const { id: clientId, on_broker: onBroker } of rows)
        await announce({ clientId, onBroker, change: 'client_deleted', message: 'The tenant was deleted.' })
      return rows.length
    })
}

/** Deletes files before the rows with their keys, so that no file is orphaned. */
async function deleteFiles({ db, files }: Context, tenant: TenantRow): Promise<void> {
  for (let found = 1; found > 0;) {
    const rows = await db
      .selectFrom('resource_items')
      .select(['id', 'file_key'])
      .where('tenant_id', '=', tenant.id)
      .where('file_key', 'is not', null)
      .limit(FILES)
      .execute()
    for (const { file_key: key } of rows) await files.delete(key!)
    const ids = rows.map((row) => row.id)
    await db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom('resource_items')
        .where('tenant_id', '=', tenant.id)
        .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
        .execute()
      await countDeleted(tx, tenant.id, rows.length)
    })
    found = rows.length
  }
}

/** Clears the caches of bindings, series and alarms on all nodes. */
async function clearCaches(ctx: Context, tenantId: string): Promise<void> {
  const everything = { tenantId, instanceIds: null }
  await ctx.db.transaction().execute((tx) => publishBindingChange(ctx, tx, everything))
  applyBindingChange(ctx, everything)
}

/** Deletes the tenant's samples, jobs and outbox messages, and finally the tenant itself. */
async function deleteRemainder(ctx: Context, tenant: TenantRow): Promise<void> {
  const { db, log } = ctx
  const { id, number } = tenant
  for (const partition of await listSharedPartitions(db)) await emptyTable(ctx, partition, tenant)
  for (const partition of await listPartitions(db, tenant))
    await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx)
      await sql`drop table if exists ${sql.table(partition)}`.execute(tx)
    })
  await db.transaction().execute(async (tx) => {
    await sql`delete from outbox where payload ->> 'tenantId' = ${id}`.execute(tx)
    await sql`select graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs where locked_at is null and (
        payload ->> 'tenantId' = ${id} or payload #>> '{caller,tenantId}' = ${id}
        or payload ->> 'tenantNumber' = ${String(number)})))`.execute(tx)
    await tx.deleteFrom('tenants').where('id', '=', id).execute()
  })
  log.info({ tenant: id, rows: tenant.deletion_rows }, 'deleted a tenant with all its data')
}
