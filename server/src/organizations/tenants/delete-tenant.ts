/** Deletes a tenant: an empty one at once, one with content by a job that starts by revoking all access. */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, orNotFound } from '../../http/errors.ts'
import { addJob } from '../../jobs/add-job.ts'
import type { TenantRow } from '../../database/tables/organizations.ts'
import { tenantShape } from './schema.ts'
import { countRows, deleteRows, listTenantTables, type TenantTable } from './tenant-tables.ts'

export const DELETE_TENANT = 'delete-tenant'
/** The payload of the job. */
export interface DeletedTenant {
  id: string
}

/**
 * The rows of a tenant without content: those that it is created with, and those that its administrator causes by
 * signing in.
 */
const ROWS_OF_AN_EMPTY_TENANT: Record<string, number> = {
  organizations: 1,
  users: 1,
  providers: 1,
  relations: Infinity,
  audit_log: Infinity,
  api_tokens: Infinity,
}
/** Rows are counted up to this number. */
const MAX_COUNTED = 1000

/**
 * @param force deletes a tenant that has content too
 * @returns undefined if it is deleted, otherwise the tenant whose deletion has started
 * @throws not_found; conflict for the caller's own tenant, and without `force` for one that has content
 */
export const deleteTenant = (ctx: Context, caller: Caller, id: string, force: boolean) =>
  ctx.db.transaction().execute(async (tx) => {
    const row = await getTenantForUpdate(tx, id)
    if (id === caller.tenantId)
      throw new ApiError(
        'conflict',
        'This is your own tenant. The tenant of the owners of the environment stays.',
      )
    if (row.deletion_started_at) {
      // Restarts a job that has used up its attempts.
      await addDeletionJob(tx, id)
      return row
    }
    const tables = await listTenantTables(tx)
    const holds = await listHolds(tx, tables, row)
    if (Object.keys(holds).length > 0 && !force) throw stillHolds(holds)
    const entry = { action: 'delete', resourceType: 'tenant', resourceId: id, before: tenantShape(row) }
    await recordAudit(tx, caller, entry)
    if (Object.keys(holds).length > 0) return beginDeletion(tx, id)
    for (const table of tables) while ((await deleteRows(tx, table, row, MAX_COUNTED)) > 0);
    await tx.deleteFrom('tenants').where('id', '=', id).execute()
    return undefined
  })

function stillHolds(holds: Record<string, number>): ApiError {
  const content = Object.entries(holds).map(([name, count]) => `${count} ${name}`)
  const message = `The tenant still has content: ${content.join(', ')}. Delete it first, or all of it by ?force=true.`
  return new ApiError('conflict', message, { holds })
}

/** @throws not_found */
export async function getTenantForUpdate(tx: Kysely<Tables>, id: string): Promise<TenantRow> {
  return orNotFound(
    await tx.selectFrom('tenants').selectAll().where('id', '=', id).forUpdate().executeTakeFirst(),
    'tenant',
    id,
  )
}

async function listHolds(tx: Kysely<Tables>, tables: TenantTable[], tenant: TenantRow) {
  const holds: Record<string, number> = {}
  for (const table of tables) {
    const usual = ROWS_OF_AN_EMPTY_TENANT[table.name] ?? 0
    if (usual === Infinity) continue
    const count = await countRows(tx, table, tenant, MAX_COUNTED)
    if (count > usual) holds[table.name] = count
  }
  return holds
}

/**
 * Sign-ins, API tokens and real-time connections end with this transaction; the job disconnects the devices, since there
 * may be many.
 */
async function beginDeletion(tx: Kysely<Tables>, id: string): Promise<TenantRow> {
  const disabled = { disabled_at: new Date() }
  await tx
    .updateTable('users')
    .set(disabled)
    .where('tenant_id', '=', id)
    .where('disabled_at', 'is', null)
    .execute()
  await tx.updateTable('enrollment_groups').set({ status: 'disabled' }).where('tenant_id', '=', id).execute()
  await addDeletionJob(tx, id)
  return tx
    .updateTable('tenants')
    .set({ deletion_started_at: new Date(), oidc_issuer: null, oidc_audience: null, oidc_client_id: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const addDeletionJob = (tx: Kysely<Tables>, id: string, runAt?: Date): Promise<void> =>
  addJob(tx, DELETE_TENANT, { id } satisfies DeletedTenant, { key: `${DELETE_TENANT} ${id}`, runAt })
