/**
 * Deletes all that belongs to a tenant, some rows at a time. Each step can be done again, so that the job goes on after a
 * crash wherever it was.
 */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../context.ts'
import { publishBindingChange, applyBindingChange } from '../../assets/bindings/binding-changes.ts'
import type { Tables } from '../../database/tables.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { changingClient } from '../../providers/clients/client-changes.ts'
import { simulationChanged } from '../../simulations/leases.ts'
import { addDeletionJob, DELETE_TENANT, type DeletedTenant } from './delete-tenant.ts'
import type { TenantRow } from '../../database/tables/organizations.ts'
import { deleteRows, listPartitions, listTenantTables, type TenantTable } from './tenant-tables.ts'

/** Of rows, in one transaction, of which the locks are held for a moment. */
const BATCH = 1000
/** Of files, between two looks at what is left. */
const FILES = 100
/**
 * Longer than a message waits to be stored: what was on its way when the devices lost their connections has arrived by
 * then, and is deleted with the rest.
 */
const SETTLE_MS = 60_000
/** What stands in the way of dropping a partition holds up others that want to insert for no longer. */
const LOCK_TIMEOUT_MS = 500

/** Nobody is told of what happens to devices and assets from now on. */
const FIRST = ['notifications', 'alarms', 'provider_webhooks']

export const tenantTasks = (ctx: Context): Tasks => ({
  [DELETE_TENANT]: async (payload) => {
    const { id } = payload as DeletedTenant
    try {
      await deleteContent(ctx, id)
    } catch (error) {
      const message = 'The last try failed and is repeated; the log of the server says why.'
      await ctx.db.updateTable('tenants').set({ deletion_error: message }).where('id', '=', id).execute()
      throw error
    }
  },
})

async function deleteContent(ctx: Context, id: string): Promise<void> {
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

/** The processes that run them hear of it. */
const stopSimulations = (ctx: Context, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const rows = await tx.deleteFrom('simulations').where('tenant_id', '=', id).returning('id').execute()
    await simulationChanged.publish(ctx, tx, ...rows)
  })

/** All of them before the first one is deleted, which takes longer. */
async function disconnectClients(ctx: Context, id: string): Promise<void> {
  for (let found = 1; found > 0;)
    found = await changingClient(ctx, async (tx, announce) => {
      const { rows } = await sql<{ id: string; on_broker: boolean }>`
        update provider_clients set enabled = false where ctid = any(array(
          select ctid from provider_clients where tenant_id = ${id} and enabled limit ${BATCH}))
        returning id, on_broker`.execute(tx)
      for (const { id: clientId, on_broker: onBroker } of rows)
        await announce({ clientId, onBroker, change: 'client_deleted', message: 'The tenant was deleted.' })
      return rows.length
    })
}

/** The bytes go before the rows that name them, so that none is left without a name. */
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

/** What every process keeps of bindings, series and alarms. */
async function clearCaches(ctx: Context, tenantId: string): Promise<void> {
  const everything = { tenantId, instanceIds: null }
  await ctx.db.transaction().execute((tx) => publishBindingChange(ctx, tx, everything))
  applyBindingChange(ctx, everything)
}

/** Its samples, what waits to be done or sent for it, and the tenant itself. */
async function deleteRemainder({ db, log }: Context, tenant: TenantRow): Promise<void> {
  const { id, number } = tenant
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
  log.info({ tenant: id, rows: tenant.deletion_rows }, 'deleted a tenant with all that belonged to it')
}
